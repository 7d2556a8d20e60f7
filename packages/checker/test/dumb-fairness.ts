/**
 * Decides who starves message by message, in worlds with their real numbers: each message under way is followed from step to step, whatever
 * the checker calls it. It is slow, and knows no time-outs and no trouble.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { reshape } from '@turnwise/core/shape'
import { present } from '../../../test/present.ts'
import { components } from '../src/components.ts'
import type { Envelope } from '../src/parts.ts'
import type { Search } from '../src/search.ts'
import { stepName } from '../src/starvation.ts'
import { Worlds } from '../src/worlds.ts'

/** Something that happens sooner or later if it stays possible. */
type Duty = string

interface Way {
  readonly to: number
  readonly done: Duty
  /** What becomes of the other duties: by message, the name that it has in the next world. */
  readonly after: (duty: Duty) => Duty
}

interface Place {
  readonly duties: ReadonlySet<Duty>
  readonly ways: readonly Way[]
  readonly waiting: readonly boolean[]
}

/** The nodes that wait for ever in some fair run. */
export function starving(search: Search): NodeId[] {
  const real = new Worlds(search.worlds.instance, { followFences: false, concrete: true })
  const places = Array.from({ length: search.states }, (_, state) => placeAt(search, real, state))
  const nodes = Array.from({ length: search.worlds.instance.setup.nodes }, (_, node) => node)
  return nodes.filter((node) => {
    const waits = places.flatMap(({ waiting }, state) => (waiting[node] ? [state] : []))
    return hasFairRun(places, new Set(waits))
  })
}

/** Whether a fair run stays among these states: in a part that has no state with a duty that can never be done there. */
function hasFairRun(places: readonly Place[], among: ReadonlySet<number>): boolean {
  return partsOf(places, among).some((part) => {
    const doomed = doomedIn(places, part)
    if (doomed.size === 0) return true
    return hasFairRun(places, new Set([...part].filter((state) => !doomed.has(state))))
  })
}

/** The strongly connected parts in which something happens. */
function partsOf(places: readonly Place[], among: ReadonlySet<number>): Set<number>[] {
  const starts = [0]
  const targets: number[] = []
  for (const { ways } of places) {
    targets.push(...ways.map(({ to }) => to))
    starts.push(targets.length)
  }
  const { of, count } = components({
    vertices: places.length,
    keepsVertex: (state) => among.has(state),
    from: (state) => get(starts, state),
    to: (state) => get(starts, state + 1),
    target: (edge) => get(targets, edge),
  })
  const parts = Array.from({ length: count }, () => new Set<number>())
  for (const state of among) get(parts, present(of[state])).add(state)
  return parts.filter((part) =>
    [...part].some((state) => get(places, state).ways.some(({ to }) => part.has(to))),
  )
}

/** The states with a duty that no walk in the part does or makes impossible. */
function doomedIn(places: readonly Place[], part: ReadonlySet<number>): Set<number> {
  const open = new Map([...part].map((state) => [state, new Set(get(places, state).duties)]))
  for (let changed = true; changed; ) {
    changed = false
    for (const [state, duties] of open) {
      for (const duty of duties) {
        const isSettled = get(places, state).ways.some(
          ({ to, done, after }) => part.has(to) && (done === duty || open.get(to)?.has(after(duty)) !== true),
        )
        if (!isSettled) continue
        duties.delete(duty)
        changed = true
      }
    }
  }
  return new Set([...open].flatMap(([state, duties]) => (duties.size > 0 ? [state] : [])))
}

function placeAt({ worlds, store }: Search, real: Worlds, state: number): Place {
  const { instance, layout } = worlds
  const [world, from, back] = [new Int32Array(2048), new Int32Array(2048), new Int32Array(2048)]
  const size = real.adopt(worlds, world, store.read(state, world), from)
  const nameOf = (envelope: Envelope) => worlds.parts.envelope(envelope)
  const duties = new Set<Duty>()
  const ways: Way[] = []
  real.expand(from, size, (next, nextSize) => {
    const { envelope } = real.step
    const done = `${stepName(real.step)} ${envelope === -1 ? -1 : nameOf(get(real.parts.envelopes, envelope))}`
    if (real.step.event.is !== 'request') duties.add(done)
    const to = store.find(back, worlds.adopt(real, next, nextSize, back))
    const shifted = shiftOf(real, next, nextSize)
    const names = new Map(
      Array.from(from.subarray(real.layout.header, size), (id) => {
        const letter = get(real.parts.envelopes, id)
        return [String(nameOf(letter)), String(nameOf(shifted(letter)))]
      }),
    )
    const after = (duty: Duty) => duty.replace(/\S+$/, (name) => names.get(name) ?? name)
    ways.push({ to, done, after })
  })
  const waiting = Array.from(
    { length: instance.setup.nodes },
    (_, node) => layout.localOf(world, node).status === 'waiting',
  )
  return { duties, ways, waiting }
}

/** How a message is written in the world that stands for this one: with the least value of each clock as 0. */
function shiftOf({ instance, layout, parts }: Worlds, world: Int32Array, size: number) {
  const { shapes } = instance.algorithm
  const least = new Map<string, number>()
  const note = (clock: string, owner: NodeId | null, value: number) => {
    const name = `${clock} ${owner}`
    least.set(name, Math.min(least.get(name) ?? value, value))
    return value
  }
  const walk = ({ from, to, message: { type, ...fields } }: Envelope, clock: typeof note) => ({
    type,
    ...reshape(shapes.messages[type] ?? {}, fields, { self: to, sender: from }, { clock }),
  })
  for (let node = 0; node < instance.setup.nodes; node += 1) {
    const { state } = layout.localOf(world, node)
    reshape(shapes.state, state, { self: node, sender: null }, { clock: note })
  }
  for (const id of world.subarray(layout.header, size)) walk(get(parts.envelopes, id), note)
  return (letter: Envelope): Envelope => ({
    ...letter,
    message: walk(letter, (clock, owner, value) => value - (least.get(`${clock} ${owner}`) ?? 0)),
  })
}

/**
 * An explorer that shares nothing with the checker but the algorithms: worlds are objects, copied whole for every
 * step and told apart by their JSON. It follows worlds with the numbers they really have, and counts those that
 * differ in more than an offset of a clock: if differences were not all that matters, it would count others than
 * the checker, which never sees the real numbers.
 */
import type { AnyAlgorithm, Here, Message, NodeId } from '@turnwise/core/algorithm'
import { ImpossibleError } from '@turnwise/core/algorithm'
import type { Shape } from '@turnwise/core/shape'
import type { Instance } from '../src/instance.ts'

interface Member {
  state: object
  status: 'idle' | 'waiting' | 'inside' | 'waiting unwanted' | 'inside unwanted' | 'crashed'
  left: number
}

interface Letter {
  from: NodeId
  to: NodeId
  message: Message
}

interface World {
  members: Member[]
  mail: Letter[]
  trouble: { crashes: number; drops: number; duplicates: number; withdrawals: number }
}

/** How many worlds were first met after so many steps, and how many steps lead out of all of them. */
export interface Counted {
  readonly levels: readonly number[]
  readonly transitions: number
}

export function countWorlds(instance: Instance, deepest = Number.POSITIVE_INFINITY): Counted {
  const levels: number[] = []
  const stepsFrom = new Map<string, number>()
  const seen = new Set<string>()
  let frontier = [firstWorld(instance)]
  for (let depth = 0; frontier.length > 0 && depth <= deepest; depth += 1) {
    const reached: World[] = []
    const known = stepsFrom.size
    for (const world of frontier) {
      const next = nextWorlds(instance, world)
      const key = keyOf(instance, world, true)
      if ((stepsFrom.get(key) ?? next.length) !== next.length) throw new Error('equal worlds differ in steps')
      stepsFrom.set(key, next.length)
      for (const candidate of next) {
        const name = keyOf(instance, candidate, false)
        if (!seen.has(name)) reached.push(candidate)
        seen.add(name)
      }
    }
    if (stepsFrom.size > known) levels.push(stepsFrom.size - known)
    frontier = reached
  }
  return { levels, transitions: [...stepsFrom.values()].reduce((sum, steps) => sum + steps, 0) }
}

function firstWorld({ algorithm, setup, requests, budgets }: Instance): World {
  const { crashes, drops, duplicates, withdrawals } = budgets
  const members = Array.from({ length: setup.nodes }, (_, self): Member => {
    return { state: algorithm.init(self, setup), status: 'idle', left: requests ?? Number.NaN }
  })
  return { members, mail: [], trouble: { crashes, drops, duplicates, withdrawals } }
}

function nextWorlds(instance: Instance, before: World): World[] {
  const { algorithm } = instance
  const found: World[] = []
  const add = (change: (world: World) => void) => {
    const world = structuredClone(before)
    change(world)
    // Nobody reads what is sent to the dead.
    world.mail = world.mail.filter(({ to }) => world.members[to].status !== 'crashed')
    found.push(world)
  }
  const at = (node: NodeId, status: Member['status'], handle: (state: object, here: Here) => void) => {
    add((world) => call(instance, world, node, status, handle))
  }
  before.members.forEach(({ status, left }, node) => {
    if (status === 'idle' && left > 0)
      at(node, 'waiting', (state, here) => algorithm.request(state, here, ASK))
    if (status.startsWith('inside')) at(node, 'idle', (state, here) => algorithm.release(state, here))
    if (status === 'crashed') return
    if (before.trouble.crashes > 0) add((world) => crash(world, node))
    if (status === 'waiting' && before.trouble.withdrawals > 0)
      add((world) => withdraw(algorithm, world, node))
  })
  for (const place of deliverable(instance, before.mail)) {
    const { from, to, message } = before.mail[place]
    const receive = (world: World) => {
      const { status } = world.members[to]
      call(instance, world, to, status, (state, here) =>
        algorithm.receive[message.type](state, here, message, from),
      )
    }
    add((world) => {
      world.mail.splice(place, 1)
      receive(world)
    })
    if (before.trouble.drops > 0)
      add((world) => {
        world.trouble.drops -= 1
        world.mail.splice(place, 1)
      })
    if (before.trouble.duplicates > 0)
      add((world) => {
        world.trouble.duplicates -= 1
        receive(world)
      })
  }
  return found
}

const ASK = { mode: 'exclusive', priority: 0 } as const

function call(
  { algorithm, setup }: Instance,
  { members, mail }: World,
  self: NodeId,
  status: Member['status'],
  handle: (state: object, here: Here) => void,
): void {
  const member = members[self]
  if (status === 'waiting' && member.status === 'idle') member.left -= 1
  member.status = status
  const send = (to: NodeId, message: Message) =>
    void mail.push({ from: self, to, message: structuredClone(message) })
  const no = () => {
    throw new Error(`${algorithm.facts.name} needs more than the dumb explorer knows`)
  }
  const here: Here = {
    self,
    setup,
    send,
    sendToOthers: (message) => members.forEach((_, to) => to !== self && send(to, message)),
    enter() {
      if (member.status === 'waiting') member.status = 'inside'
      if (member.status === 'waiting unwanted') member.status = 'inside unwanted'
    },
    ...{ broadcast: no, elected: no, setTimer: no, cancelTimer: no, proceed: no, random: no },
  }
  try {
    handle(member.state, here)
  } catch (error) {
    if (!(error instanceof ImpossibleError)) throw error
  }
}

function crash({ members, trouble }: World, node: NodeId): void {
  trouble.crashes -= 1
  members[node] = { state: {}, status: 'crashed', left: 0 }
}

function withdraw({ withdraw: handler }: AnyAlgorithm, { members, trouble }: World, node: NodeId): void {
  if (handler !== undefined) throw new Error('the dumb explorer knows no algorithm that takes requests back')
  trouble.withdrawals -= 1
  members[node].status = 'waiting unwanted'
}

/** Which letters may arrive next, equal ones once. */
function deliverable({ channels }: Instance, mail: readonly Letter[]): number[] {
  const names = mail.map(({ from, to, message }) =>
    JSON.stringify(channels === 'fifo' ? [from, to] : [from, to, message]),
  )
  return names.flatMap((name, place) => (names.indexOf(name) === place ? [place] : []))
}

/** The world as a text; `offsets` takes from each clock its smallest value, and forgets the fences. */
function keyOf(
  { algorithm, channels }: Instance,
  { members, mail, trouble }: World,
  offsets: boolean,
): string {
  const { shapes } = algorithm
  const least = new Map<string, number>()
  const spell = (visit: Visit) => {
    const letters = mail.map(({ from, to, message: { type, ...fields } }) => {
      const shape = { fields: shapes.messages[type] }
      return { channel: [from, to], type, fields: walk(shape, fields, { self: to, sender: from }, visit) }
    })
    const nameOf = (letter: (typeof letters)[number]) =>
      JSON.stringify(channels === 'fifo' ? letter.channel : letter)
    return {
      members: members.map(({ state, ...rest }, self) => {
        const shape = { fields: rest.status === 'crashed' ? {} : shapes.state }
        return { ...rest, state: walk(shape, state, { self }, visit) }
      }),
      mail: letters.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0)),
      trouble,
    }
  }
  const plain = spell((clock, value) => {
    least.set(clock, Math.min(least.get(clock) ?? value, value))
    return value
  })
  if (!offsets) return JSON.stringify(plain)
  const forgotten = shapes.fence.scaled ? '' : `${shapes.fence.clock} of all`
  return JSON.stringify(spell((clock, value) => (clock === forgotten ? 0 : value - (least.get(clock) ?? 0))))
}

type Visit = (clock: string, value: number) => number

/** A copy, keys in order, with the values of clocks replaced. `place` names what a clock may belong to. */
function walk(shape: Shape, value: unknown, place: Readonly<Record<string, unknown>>, visit: Visit): unknown {
  if (value === null || typeof shape === 'string') return value
  if ('clock' in shape) {
    return visit(`${shape.clock} of ${'of' in shape ? String(place[shape.of]) : 'all'}`, Number(value))
  }
  if ('list' in shape) return (value as unknown[]).map((item) => walk(shape.list, item, place, visit))
  if ('perNode' in shape) {
    return (value as unknown[]).map((item, index) => walk(shape.perNode, item, { ...place, index }, visit))
  }
  const fields = Object.entries(value as object).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const around = { ...place, ...(value as object) }
  return Object.fromEntries(
    fields.map(([name, item]) => [name, walk(shape.fields[name], item, around, visit)]),
  )
}

/**
 * An explorer that shares nothing with the checker but the algorithms: worlds are objects, copied whole for every
 * step and told apart by their JSON. It follows worlds with the numbers they really have, and counts those that
 * differ in more than an offset of a clock: if differences were not all that matters, it would count others than
 * the checker, which never sees the real numbers.
 */
import type { AnyAlgorithm, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Shape } from '@turnwise/core/shape'
import { present } from '../../../test/present.ts'
import type { Instance as AnyInstance, Budgets } from '../src/instance.ts'
import { comings, crash, isAway, isCut, isDeaf, nobody, urgent } from './dumb-changes.ts'
import { at, type Change, type Letter, type Member, type World } from './dumb-world.ts'

type Instance = AnyInstance<AnyAlgorithm>

export interface Counted {
  /** How many worlds were first met after so many steps. */
  readonly levels: readonly number[]
  /** How many steps lead out of all of them. */
  readonly transitions: number
}

/** Goes on level by level until there are no more, or more than `most` worlds were met. */
export function countWorlds(instance: Instance, most: number): Counted & { readonly complete: boolean } {
  const levels: number[] = []
  const stepsFrom = new Map<string, number>()
  let frontier = [firstWorld(instance)]
  const seen = new Set(frontier.map((world) => JSON.stringify(world)))
  while (frontier.length > 0 && seen.size <= most) {
    const reached: World[] = []
    const known = stepsFrom.size
    for (const world of frontier) {
      const next = nextWorlds(instance, world)
      const key = keyOf(instance, world)
      if ((stepsFrom.get(key) ?? next.length) !== next.length) throw new Error('equal worlds differ in steps')
      stepsFrom.set(key, next.length)
      for (const candidate of next) {
        const name = JSON.stringify(candidate)
        if (!seen.has(name)) reached.push(candidate)
        seen.add(name)
      }
    }
    if (stepsFrom.size > known) levels.push(stepsFrom.size - known)
    frontier = reached
  }
  const transitions = [...stepsFrom.values()].reduce((sum, steps) => sum + steps, 0)
  return { levels, transitions, complete: frontier.length === 0 }
}

function firstWorld({ algorithm, setup, requests, budgets }: Instance): World {
  const left = requests ?? Number.POSITIVE_INFINITY
  const members = Array.from({ length: setup.nodes }, (_, self): Member => {
    if (setup.absent.includes(self)) return nobody('absent', left)
    const status = setup.inside.includes(self) ? 'inside' : 'idle'
    const state = algorithm.init(self, setup)
    const timers: string[] = []
    algorithm.start?.(state, { self, setup, setTimer: (timer) => void timers.push(timer) })
    return { ...nobody('absent', left), state, status, timers }
  })
  return { members, mail: [], gone: [], added: [], trouble: { ...budgets } }
}

/** Letters that may overtake each other are kept in one order, those that may not in the order they were sent. */
function sorted(mail: readonly Letter[], { channels }: Instance): Letter[] {
  const nameOf = ({ from, to, message, medium }: Letter) =>
    medium ? `medium ${to}` : `${from} ${to} ${channels === 'fifo' ? '' : JSON.stringify(message)}`
  const named = mail.map((letter) => ({ letter, name: nameOf(letter) }))
  return named
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ letter }) => letter)
}

function nextWorlds(instance: Instance, before: World): World[] {
  const found: World[] = []
  for (const change of changes(instance, before)) {
    const draws: { drawn: number; bound: number }[] = []
    do {
      const world = structuredClone(before)
      let used = 0
      change(world, (bound) => {
        if (used === draws.length) draws.push({ drawn: 0, bound })
        used += 1
        return get(draws, used - 1).drawn
      })
      // Nobody reads what is sent to the dead.
      world.mail = sorted(
        world.mail.filter(({ to }) => !isDeaf(instance, world, to)),
        instance,
      )
      found.push(world)
      while (
        draws.length > 0 &&
        get(draws, draws.length - 1).drawn + 1 === get(draws, draws.length - 1).bound
      )
        draws.pop()
      if (draws.length > 0) get(draws, draws.length - 1).drawn += 1
    } while (draws.length > 0)
  }
  return found
}

/** Everything that can happen to a world. */
function changes(instance: Instance, before: World): Change[] {
  const { algorithm } = instance
  const first = urgent(instance, before)
  if (first !== null) return [first]
  const found = comings(instance, before)
  before.members.forEach((member, node) => {
    if (isAway(member)) return
    found.push(...ownChanges(instance, before, node))
    if (before.trouble.crashes > 0) found.push(spending('crashes', crash(instance, node)))
    if (member.status === 'waiting' && before.trouble.withdrawals > 0) {
      const after = algorithm.withdraw === undefined ? 'waiting unwanted' : 'idle'
      found.push(
        spending(
          'withdrawals',
          at(instance, node, after, (s, here) => algorithm.withdraw?.(s, here)),
        ),
      )
    }
    if (algorithm.suspect === undefined) return
    before.members.forEach(({ status }, peer) => {
      if (peer === node || status === 'absent') return
      if (member.suspected.includes(peer)) {
        if (status !== 'crashed' && instance.budgets.restarts > 0) found.push(restore(instance, node, peer))
        return
      }
      const notice: Change = (world, random) => {
        const suspecting = get(world.members, node)
        suspecting.suspected = [...suspecting.suspected, peer].toSorted((a, b) => a - b)
        suspecting.late = suspecting.late.filter((other) => other !== peer)
        at(instance, node, suspecting.status, (s, here) => algorithm.suspect?.(s, here, peer))(world, random)
      }
      if (status === 'crashed' || member.late.includes(peer)) found.push(notice)
      else if (before.trouble.suspicions > 0) found.push(spending('suspicions', notice))
    })
  })
  found.push(...arrivals(instance, before))
  return found
}

function spending(kind: keyof Budgets, change: Change): Change {
  return (world, random) => {
    world.trouble[kind] -= 1
    change(world, random)
  }
}

/** Messages that arrive, are lost or are doubled. */
function arrivals(instance: Instance, before: World): Change[] {
  const { algorithm } = instance
  const found: Change[] = []
  for (const place of deliverable(instance, before.mail)) {
    const { from, to, message } = get(before.mail, place)
    const isLost = isAway(get(before.members, to)) || isCut(before, from, to)
    const receive = at(instance, to, get(before.members, to).status, (s, here) => {
      present(algorithm.receive[message.type])(s, here, message, from)
    })
    const take: Change = ({ mail }) => void mail.splice(place, 1)
    const comesBack = at(instance, from, get(before.members, from).status, (s, here) => {
      algorithm.undelivered?.(s, here, to, message)
    })
    found.push((world, random) => {
      take(world, random)
      if (!isLost) receive(world, random)
      else if (!isAway(get(before.members, from))) comesBack(world, random)
    })
    if (before.trouble.drops > 0) found.push(spending('drops', take))
    if (before.trouble.duplicates > 0 && !isLost) found.push(spending('duplicates', receive))
  }
  return found
}

function restore(instance: Instance, node: NodeId, peer: NodeId): Change {
  return (world, random) => {
    const member = get(world.members, node)
    member.suspected = member.suspected.filter((other) => other !== peer)
    at(instance, node, member.status, (s, here) => instance.algorithm.restore?.(s, here, peer))(world, random)
  }
}

/** What a node can do by itself. */
function ownChanges(instance: Instance, before: World, node: NodeId): Change[] {
  const { algorithm } = instance
  const { status, left, steps, timers, leaving } = get(before.members, node)
  const found: Change[] = []
  if (status === 'idle' && left > 0 && !leaving)
    found.push(at(instance, node, 'waiting', (s, here) => algorithm.request(s, here, ASK)))
  if (status.startsWith('inside'))
    found.push(at(instance, node, 'idle', (s, here) => algorithm.release(s, here)))
  const [step] = steps
  if (step !== undefined) {
    const proceed = at(instance, node, status, (s, here) => algorithm.proceed?.(s, here, step))
    found.push((world, random) => {
      get(world.members, node).steps.shift()
      proceed(world, random)
    })
  }
  for (const timer of timers) {
    const kind = algorithm.facts.timers[timer]
    const outlasts = kind === 'round-trip' ? 'messages' : 'visits too'
    if (kind !== 'pace' && instance.timing === 'bounded' && !isStill(instance, before, outlasts)) continue
    const expire = at(instance, node, status, (s, here) => algorithm.timeout?.(s, here, timer))
    found.push((world, random) => {
      get(world.members, node).timers = timers.filter((other) => other !== timer)
      expire(world, random)
    })
  }
  return found
}

/** Nothing can happen but requests, time-outs and trouble, and for a round trip exits. */
function isStill(
  { algorithm, budgets }: Instance,
  { members, mail }: World,
  outlasts: 'messages' | 'visits too',
): boolean {
  const paces = (timer: string) => algorithm.facts.timers[timer] === 'pace'
  const isQuiet = ({ status, steps, timers }: Member) =>
    (outlasts === 'messages' || !status.startsWith('inside')) && steps.length === 0 && !timers.some(paces)
  const dead = members.flatMap(({ status }, node) => (status === 'crashed' ? [node] : []))
  const isWrong = (node: NodeId) => budgets.restarts > 0 && !isAway(get(members, node))
  const isToldOfAll = (member: Member) =>
    isAway(member) ||
    algorithm.suspect === undefined ||
    (dead.every((node) => member.suspected.includes(node)) &&
      member.late.length === 0 &&
      !member.suspected.some(isWrong))
  return mail.length === 0 && members.every(isQuiet) && members.every(isToldOfAll)
}

const ASK = { mode: 'exclusive', priority: 0 } as const

/** The first letter of each name. Letters that may not overtake each other share a name, and so do letters that differ in their fence only. */
function deliverable({ algorithm, channels }: Instance, mail: readonly Letter[]): number[] {
  const names = mail.map(({ from, to, message: { type, ...fields }, medium }) => {
    if (medium) return JSON.stringify({ heardBy: to })
    if (channels === 'fifo') return JSON.stringify([from, to])
    const shape = { fields: present(algorithm.shapes.messages[type]) }
    return JSON.stringify([
      from,
      to,
      type,
      walk(shape, fields, { self: to, sender: from }, forgetFences(algorithm)),
    ])
  })
  return names.flatMap((name, place) => (names.indexOf(name) === place ? [place] : []))
}

/** Fences are given out and never asked for, unless they are made from a clock that has another use. */
function forgetFences({ shapes: { fence } }: AnyAlgorithm): Visit {
  return (clock, value) => (!fence.scaled && clock === `${fence.clock} of all` ? 0 : value)
}

/** The world as a text, without what does not matter: offsets of clocks, fences, the order of letters that may overtake. */
function keyOf({ algorithm, channels, memory }: Instance, { members, mail, ...rest }: World): string {
  const { shapes } = algorithm
  const spell = (visit: Visit) => {
    const letters = mail.map(({ from, to, message: { type, ...fields }, medium }) => {
      const shape = { fields: present(shapes.messages[type]) }
      const letter = {
        from,
        to,
        type,
        fields: walk(shape, fields, { self: to, sender: from }, visit),
        medium,
      }
      const keepsPlace = channels === 'fifo' || medium
      return { letter, name: JSON.stringify(keepsPlace ? [medium ? 'medium' : from, to] : letter) }
    })
    return {
      members: members.map(({ state, ...member }, self) => {
        return { ...member, state: walk({ fields: shapes.state }, state, { self }, visit) }
      }),
      mail: letters.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
      ...rest,
    }
  }
  const least = new Map<string, number>()
  const { joins, restarts } = rest.trouble
  // One who begins with the numbers of a new node will tell where the others have counted to.
  const tellsOffsets = joins > 0 || (restarts > 0 && memory !== 'kept')
  spell((clock, value) => {
    if (tellsOffsets) return value
    least.set(clock, Math.min(least.get(clock) ?? value, value))
    return value
  })
  const forget = forgetFences(algorithm)
  return JSON.stringify(spell((clock, value) => forget(clock, value - (least.get(clock) ?? 0))))
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
    fields.map(([name, item]) => [name, walk(present(shape.fields[name]), item, around, visit)]),
  )
}

/** What comes and goes, for the explorer that shares nothing with the checker: see dumb-explorer.ts. */
import type { AnyAlgorithm, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Instance as AnyInstance } from '../src/instance.ts'
import { at, type Change, type Member, type Notice, type World } from './dumb-world.ts'

type Instance = AnyInstance<AnyAlgorithm>

export function nobody(status: 'crashed' | 'absent', left: number): Member {
  return {
    state: {},
    status,
    left,
    timers: [],
    steps: [],
    suspected: [],
    due: [],
    late: [],
    caller: 'idle',
    leaving: false,
  }
}

export function isAway({ status }: Member): boolean {
  return status === 'crashed' || status === 'absent'
}

/** Whether it makes no difference what is sent to a node. */
export function isDeaf({ algorithm }: Instance, { members, trouble }: World, to: NodeId): boolean {
  if (algorithm.undelivered !== undefined || !isAway(get(members, to))) return false
  return (get(members, to).status === 'crashed' ? trouble.restarts : trouble.joins) === 0
}

export function isCut({ gone }: World, a: NodeId, b: NodeId): boolean {
  return gone.some(([one, other]) => (one === a && other === b) || (one === b && other === a))
}

function hasChannel({ setup }: Instance, { gone, added }: World, a: NodeId, b: NodeId): boolean {
  const isIn = (list: World['gone']) => list.some((ends) => ends.includes(a) && ends.includes(b))
  return a !== b && (setup.topology.linked(a, b) ? !isIn(gone) : isIn(added))
}

/** What has to happen first, if anything: one thing, at the first node that has to do with it. */
export function urgent(instance: Instance, world: World): Change | null {
  for (const [node, member] of world.members.entries()) {
    if (isAway(member)) continue
    const [notice] = member.due
    if (notice !== undefined) return hear(instance, world, node, notice)
    const isBusy =
      member.timers.length + member.steps.length > 0 ||
      world.mail.some(({ from, to }) => from === node || to === node)
    if (member.leaving && !isBusy) return (next) => vanish(instance, next, node)
  }
  return null
}

function hear(instance: Instance, world: World, node: NodeId, { is, peer }: Notice): Change {
  const { algorithm } = instance
  const after = is === 'withdraw' || is === 'release' ? 'idle' : get(world.members, node).status
  const handle = at(instance, node, after, (state, here) => {
    if (is === 'withdraw') algorithm.withdraw?.(state, here)
    else if (is === 'release') algorithm.release(state, here)
    else algorithm[is]?.(state, here, peer)
  })
  return (next, random) => {
    get(next.members, node).due.shift()
    handle(next, random)
  }
}

function vanish(instance: Instance, world: World, node: NodeId): void {
  const { members } = world
  members[node] = nobody('absent', get(members, node).left)
  if (instance.algorithm.unlinked === undefined) return
  members.forEach((member, peer) => {
    if (hasChannel(instance, world, node, peer)) notify(world, member, { is: 'unlinked', peer: node })
  })
}

/** Who is not there, and who has crashed for good, hears nothing. */
function notify({ trouble }: World, member: Member, notice: Notice): void {
  if (member.status === 'absent' || (member.status === 'crashed' && trouble.restarts === 0)) return
  member.due.push(notice)
}

export function crash(instance: Instance, node: NodeId): Change {
  const { memory = 'kept' } = instance
  return (world) => {
    const { members, trouble } = world
    const { state, status, left, suspected, due, leaving } = get(members, node)
    if (leaving) return vanish(instance, world, node)
    members[node] = nobody('crashed', trouble.restarts === 0 ? 0 : left)
    if (trouble.restarts === 0) return
    const kept = { state, suspected, caller: status.split(' ')[0] as Member['caller'] }
    Object.assign(members[node], { due }, memory === 'lost' ? {} : kept)
  }
}

/** Everything that may come or go. */
export function comings(instance: Instance, world: World): Change[] {
  const { members, trouble } = world
  const { memory = 'kept' } = instance
  const nodes = members.map((_, node) => node)
  const found: Change[] = []
  for (const node of nodes) {
    const { status, leaving } = get(members, node)
    if (status === 'crashed' && trouble.restarts > 0) {
      if (memory !== 'lost') found.push(restart(instance, node, true))
      if (memory !== 'kept') found.push(restart(instance, node, false))
    }
    if (status === 'absent' && trouble.joins > 0) {
      const living = nodes.filter((other) => !isAway(get(members, other)))
      for (const sponsor of [null, ...living]) found.push(join(instance, node, sponsor))
    }
    const others = members.filter((member, other) => other !== node && !isAway(member) && !member.leaving)
    if (status === 'idle' && !leaving && trouble.leaves > 0 && others.length > 0)
      found.push(depart(instance, node))
  }
  for (const [a, b] of nodes.flatMap((first) =>
    nodes.slice(first + 1).map((second) => [first, second] as const),
  )) {
    const ends = [get(members, a), get(members, b)]
    if (ends.every(isAway) || ends.some(({ status }) => status === 'absent')) continue
    const is = hasChannel(instance, world, a, b) ? 'unlinked' : 'linked'
    if (trouble[is === 'linked' ? 'links' : 'unlinks'] > 0) found.push(relink(instance, is, a, b))
  }
  return found
}

function restart(instance: Instance, node: NodeId, memory: boolean): Change {
  const { algorithm, setup } = instance
  return (world, random) => {
    const { members, trouble } = world
    trouble.restarts -= 1
    const member = get(members, node)
    const { caller } = member
    member.status = memory && caller === 'waiting' ? 'waiting unwanted' : 'idle'
    if (!memory) Object.assign(member, { state: algorithm.init(node, setup), suspected: [] })
    member.caller = 'idle'
    if (memory && caller === 'waiting' && algorithm.withdraw !== undefined)
      member.due.unshift({ is: 'withdraw', peer: node })
    if (memory && caller === 'inside') {
      member.status = 'inside no more'
      member.due.push({ is: 'release', peer: node })
    }
    at(instance, node, member.status, (state, here) => algorithm.restart?.(state, here, memory))(
      world,
      random,
    )
    members.forEach((other, peer) => {
      if (peer !== node && other.status === 'crashed' && trouble.restarts === 0)
        members[peer] = nobody('crashed', 0)
    })
    if (algorithm.suspect === undefined && algorithm.restore === undefined) return
    members.forEach((other, peer) => {
      if (peer === node || isAway(other) || other.suspected.includes(node)) return
      other.late = [...new Set([...other.late, node])].toSorted((a, b) => a - b)
    })
  }
}

function join(instance: Instance, node: NodeId, sponsor: NodeId | null): Change {
  const { algorithm, setup } = instance
  return (world, random) => {
    const { members, trouble } = world
    trouble.joins -= 1
    members[node] = { ...nobody('absent', get(members, node).left), state: algorithm.init(node, setup) }
    at(instance, node, 'idle', (state, here) => algorithm.join?.(state, here, sponsor))(world, random)
    if (algorithm.linked === undefined) return
    members.forEach((other, peer) => {
      if (other.status === 'absent' || !hasChannel(instance, world, node, peer)) return
      notify(world, get(members, node), { is: 'linked', peer })
      notify(world, other, { is: 'linked', peer: node })
    })
  }
}

function depart(instance: Instance, node: NodeId): Change {
  const leave = at(instance, node, 'idle', (state, here) => instance.algorithm.leave?.(state, here))
  return (world, random) => {
    world.trouble.leaves -= 1
    get(world.members, node).leaving = true
    leave(world, random)
  }
}

function relink(instance: Instance, is: 'linked' | 'unlinked', a: NodeId, b: NodeId): Change {
  return (world, random) => {
    world.trouble[is === 'linked' ? 'links' : 'unlinks'] -= 1
    const isOld = instance.setup.topology.linked(a, b)
    const list = isOld ? 'gone' : 'added'
    world[list] =
      isOld === (is === 'linked')
        ? world[list].filter(([one, other]) => one !== a || other !== b)
        : [...world[list], [a, b] as const].toSorted(([a1, b1], [a2, b2]) => a1 - a2 || b1 - b2)
    const [first, second] = isAway(get(world.members, a)) ? [b, a] : [a, b]
    notify(world, get(world.members, second), { is, peer: first })
    const { status } = get(world.members, first)
    at(instance, first, status, (state, here) => instance.algorithm[is]?.(state, here, second))(world, random)
  }
}

/**
 * Raymond 1989, recovery of a failed node; here after Velazquez 1993, section 4, which tells what it achieves, not
 * how. An engine of `raymond`, which calls it where the option `recovery` is set.
 *
 * A node that comes back has lost its state, but its neighbours know what it knew. It sends RESTART to all of
 * them, and each answers with ADVISE: whether it takes this node for the holder, whether it has asked it, and
 * whether it has this node in its queue. If a neighbour looks elsewhere, the privilege lies there; if all look here,
 * the privilege was here or under way to or from here, and is here again. What asked stands in the new queue.
 *
 * Why there is one privilege still: a privilege that was under way over one of these channels must not count, as
 * the node now has it. The ends of a channel count the restarts, and a message carries the count: RESTART raises
 * it, ADVISE tells it, and what was sent before is dropped. What arrives before the advice is complete waits. A
 * neighbour that looks here also drops this node from its queue: it stood there for a privilege that never came.
 *
 * Assumes that all neighbours are up and in order until they have answered, and that a node does not fail again
 * while letters of its last life are under way: two neighbours that fail together wait for each other for ever,
 * which is safe. No time-out; a recovery costs two messages for each neighbour. The fence leaps, because nobody
 * else knows how often the node entered with the privilege that it lost.
 */
import { type Here, impossible, type NodeId } from '@turnwise/core/algorithm'

export interface Advice {
  readonly type: 'advise'
  readonly incarnation: number
  /** Whether the sender's HOLDER is the node that restarts. */
  readonly holderIsYou: boolean
  /** ASKED of the sender, and whether the node that restarts stands in its queue. */
  readonly asked: boolean
  readonly queued: boolean
  /** The last fence that the sender knows of. */
  readonly fence: number
}

/** A message of the algorithm proper, with the count of its channel. */
export type Tagged<M> = M & { readonly incarnation?: number }

/** What a node keeps for the recovery of itself and of its neighbours. */
export interface Recovery<M> {
  /** How many restarts the channel to a neighbour has seen, where any. */
  incarnations: { neighbour: NodeId; count: number }[]
  /** The last fence that came by. */
  seen: number
  /** While this node is not in order: what it was told, and what has to wait. */
  rebuilding: {
    advice: { from: NodeId; advice: Advice }[]
    early: { from: NodeId; message: Tagged<M> }[]
  } | null
}

/** The state of `raymond`, as far as it is rebuilt. */
interface Rebuilt<M> {
  holder: NodeId
  using: boolean
  queue: NodeId[]
  asked: boolean
  fence: number | null
  recovery: Recovery<M> | null
}

/** How many entries with one privilege a recovery allows for. */
const LEAP = 1e9

export function calm<M>(): Recovery<M> {
  return { incarnations: [], seen: 0, rebuilding: null }
}

export function isRebuilding({ recovery }: Rebuilt<unknown>): boolean {
  return recovery !== null && recovery.rebuilding !== null
}

/** A message as it goes to a neighbour: with the count of the channel, where restarts are counted. */
export function tagged<M extends object>({ recovery }: Rebuilt<M>, to: NodeId, message: M): Tagged<M> {
  return recovery === null ? message : { ...message, incarnation: incarnationOf(recovery, to) }
}

/** Whether a message may be handled now. Otherwise it waits for the advice, or is of an earlier life of one end. */
export function admits<M>({ recovery }: Rebuilt<M>, message: Tagged<M>, from: NodeId): boolean {
  if (recovery === null) return true
  if (recovery.rebuilding === null) return message.incarnation === incarnationOf(recovery, from)
  recovery.rebuilding.early.push({ from, message })
  return false
}

/** The node comes back. Its own request, if it remembers one, is made again. */
export function askForAdvice<M>(
  node: Rebuilt<M>,
  { self, setup, send }: Pick<Here<{ type: 'restart' }>, 'self' | 'setup' | 'send'>,
): void {
  node.recovery = { ...calm(), rebuilding: { advice: [], early: [] } }
  node.using = false
  node.asked = false
  node.fence = null
  node.queue = node.queue.filter((waiting) => waiting === self)
  for (const neighbour of setup.topology.neighbours(self)) send(neighbour, { type: 'restart' })
}

/** What a neighbour can tell a node that comes back; from here on, older messages between the two are void. */
export function adviceFor<M>(node: Rebuilt<M>, who: NodeId): Advice | null {
  const { recovery } = node
  if (recovery === null || recovery.rebuilding !== null) return null
  const incarnation = incarnationOf(recovery, who) + 1
  const holderIsYou = node.holder === who
  setIncarnation(recovery, who, incarnation)
  // It asked for a privilege that it had sent us, and that has not come: now it has it again, and asks for nothing.
  if (holderIsYou) node.queue = node.queue.filter((waiting) => waiting !== who)
  return {
    type: 'advise',
    incarnation,
    holderIsYou,
    asked: holderIsYou && node.asked,
    queued: node.queue.includes(who),
    fence: recovery.seen,
  }
}

/** Takes a piece of advice. With the last one the node is in order again; what had to wait is handed over, else null. */
export function take<M>(
  node: Rebuilt<M>,
  { self, setup }: Pick<Here, 'self' | 'setup'>,
  advice: Advice,
  from: NodeId,
): { from: NodeId; message: Tagged<M> }[] | null {
  const { recovery } = node
  if (recovery === null || recovery.rebuilding === null) return null
  const { rebuilding } = recovery
  setIncarnation(recovery, from, advice.incarnation)
  rebuilding.advice.push({ from, advice })
  if (rebuilding.advice.length < setup.topology.neighbours(self).length) return null
  rebuild(node, recovery, self, rebuilding.advice)
  recovery.rebuilding = null
  return rebuilding.early.filter(({ from: neighbour, message }) => admits(node, message, neighbour))
}

function rebuild<M>(
  node: Rebuilt<M>,
  recovery: Recovery<M>,
  self: NodeId,
  answers: readonly { from: NodeId; advice: Advice }[],
): void {
  const elsewhere = answers.filter(({ advice }) => !advice.holderIsYou)
  if (elsewhere.length > 1)
    impossible(`the privilege lies in ${elsewhere.length} directions from node ${self}`)
  const [holder] = elsewhere
  recovery.seen = Math.max(...answers.map(({ advice }) => advice.fence))
  node.holder = holder?.from ?? self
  node.asked = holder?.advice.queued ?? false
  // The count grows with every restart, so each leap ends beyond all that came of the last one.
  const restarts = Math.max(...answers.map(({ advice }) => advice.incarnation))
  node.fence = holder === undefined ? recovery.seen + restarts * LEAP : null
  node.queue = [...answers.filter(({ advice }) => advice.asked).map(({ from }) => from), ...node.queue]
}

function incarnationOf({ incarnations }: Recovery<unknown>, neighbour: NodeId): number {
  return incarnations.find((entry) => entry.neighbour === neighbour)?.count ?? 0
}

function setIncarnation(recovery: Recovery<unknown>, neighbour: NodeId, count: number): void {
  const others = recovery.incarnations.filter((entry) => entry.neighbour !== neighbour)
  recovery.incarnations = [...others, { neighbour, count }].toSorted((a, b) => a.neighbour - b.neighbour)
}

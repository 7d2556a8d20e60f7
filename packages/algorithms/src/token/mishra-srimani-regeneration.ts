/**
 * How `mishra-srimani` replaces a token that was lost with a node: Velazquez 1993, section 4.
 *
 * The initiator asks all others (PRIVILEGE_CHECK). It needs the NO_CRIT of all of them, except one that has not answered
 * within T2: at most one has failed. Of two initiators the one with the lower number goes on. CREATE_PRIVILEGE begins a new
 * epoch, and nodes discard tokens of earlier epochs. Each UPDATE tells the sender's own request number, whether it waits,
 * and its last fence. From these the initiator makes the token. It announces that all is well again, and enters.
 *
 * Where we differ from the survey:
 *  - There a node that has said NO_CRIT may use a token that was still under way, while the initiator makes another. Here
 *    such a node is frozen: it parks the token and says REP_CRITICAL after all, and CREATE_PRIVILEGE destroys the token.
 *  - There any n-2 NO_CRIT are enough for the initiator. If no node has failed, the missing answer may be the holder's
 *    REP_CRITICAL, so we wait for it until T2.
 *  - There an initiator ignores one with a higher number, which may then take it for failed
 *    (`mishra-srimani-ignores-higher`). Here it says REP_CRITICAL, as it does while it makes a token.
 *  - Checks are numbered and answers name theirs. The all-clear goes to each node after its answer: an all-clear that
 *    overtakes the question would leave the node frozen. It tells which node has failed, and so does the news of the
 *    new token.
 *  - An initiator may fail as well. A node that has heard nothing for 3 T2 is no longer frozen, and may start a check
 *    itself.
 */
import type { Here, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { nodesWhere } from '@turnwise/core/reason'
import { LEAP } from './fence-leap.ts'
import type { Message, Options, State, Token } from './mishra-srimani.ts'
import { scan } from './suzuki-kasami.ts'
import type { Numbered } from './suzuki-kasami-bounded.ts'

/** A check: by whom, and which of its checks. */
export interface Check {
  readonly initiator: NodeId
  readonly number: number
}

/** The contents of an UPDATE. */
interface Update {
  readonly requested: Numbered
  readonly waiting: boolean
  readonly fence: number
}

export type RecoveryMessage =
  | { readonly type: 'privilege-check'; readonly number: number }
  | { readonly type: 'rep-critical'; readonly check: Check }
  | { readonly type: 'no-crit'; readonly check: Check }
  /** The check is over. The token is not lost, or another node replaces it. */
  | { readonly type: 'false-alarm'; readonly number: number; readonly failed: NodeId | null }
  | { readonly type: 'create-privilege'; readonly epoch: number }
  | { readonly type: 'update'; readonly epoch: number; readonly update: Update }
  /** There is a token again; its fence is above this one. */
  | { readonly type: 'recovered'; readonly failed: NodeId | null; readonly fence: number }

export interface RecoveryState {
  /** Of the latest token heard of. */
  epoch: number
  /** The highest fence heard of. */
  fence: number
  /** The one node that is known to have failed. */
  failed: NodeId | null
  /** How many checks we have started. */
  checks: number
  /** While we check: the nodes that have answered, and whether the token may still be lost. */
  checking: { heard: boolean[]; lost: boolean } | null
  /** While we make a token: the UPDATEs. */
  creating: (Update | null)[] | null
  /** For each initiator the check to which we have said NO_CRIT. We are frozen until we know how it ended. */
  following: (number | null)[]
  /** A token that came while we are frozen. */
  parked: Token | null
}

type Place = Here<Message, Options>

const checkShape = {
  fields: { initiator: 'node', number: { clock: 'check', of: 'initiator' } },
} as const
const updateShape = {
  fields: { requested: 'data', waiting: 'data', fence: { clock: 'fence' } },
} as const

export const recoveryStateShapes = {
  epoch: { clock: 'epoch' },
  fence: { clock: 'fence' },
  failed: 'node',
  checks: { clock: 'check', of: 'self' },
  checking: { fields: { heard: { perNode: 'data' }, lost: 'data' } },
  creating: { perNode: updateShape },
  following: { perNode: { clock: 'check', of: 'index' } },
} as const

export const recoveryMessageShapes = {
  'privilege-check': { number: { clock: 'check', of: 'sender' } },
  'rep-critical': { check: checkShape },
  'no-crit': { check: checkShape },
  'false-alarm': { number: { clock: 'check', of: 'sender' }, failed: 'node' },
  'create-privilege': { epoch: { clock: 'epoch' } },
  update: { epoch: { clock: 'epoch' }, update: updateShape },
  recovered: { failed: 'node', fence: { clock: 'fence' } },
} as const

/** The token did not arrive in time. A node that has answered a check already waits for its result. */
export function startCheck(node: State, here: Place): void {
  if (isFrozen(node) || node.checking !== null)
    return here.because?.('node {self} waits for the end of a check already')
  here.because?.('the token has not come to node {self} within T: it asks all whether they have it')
  node.checks += 1
  node.checking = { heard: Array.from({ length: here.setup.nodes }, () => false), lost: true }
  here.sendToOthers({ type: 'privilege-check', number: node.checks })
  awaitAnswers(here)
  answers.counted(node, here)
}

export const receiveRecovery = {
  'privilege-check'(node: State, here: Place, { number }: { number: number }, from: NodeId): void {
    const check = { initiator: from, number }
    const followed = get(node.following, from)
    if (from === node.failed || (followed !== null && number < followed))
      return here.because?.('that check is over, or node {from} has failed', { from })
    if (refuses(node, here, from)) return here.send(from, { type: 'rep-critical', check })
    if (node.checking !== null) {
      here.because?.('node {from} checks too, and is the lower: node {self} gives its own check up', { from })
      endCheck(node, here)
    }
    if (node.parked === null)
      here.because?.('node {self} has no token, and will use none until the check of node {from} is over', {
        from,
      })
    else here.because?.('node {self} has a token that it does not use yet')
    node.following[from] = number
    here.setTimer('initiator', 3 * here.setup.options.T2)
    here.send(from, { type: node.parked === null ? 'no-crit' : 'rep-critical', check })
  },

  'rep-critical'(node: State, here: Place, { check }: { check: Check }, from: NodeId): void {
    if (node.creating !== null)
      return here.because?.('node {from} has an older token: it will hear of the new one', { from })
    here.because?.('node {from} has the token, or sees to it', { from })
    if (node.checking !== null) node.checking.lost = false
    heard(node, here, check, from)
  },

  'no-crit'(node: State, here: Place, { check }: { check: Check }, from: NodeId): void {
    here.because?.('node {from} does not have the token', { from })
    heard(node, here, check, from)
  },

  'false-alarm'(
    node: State,
    here: Place,
    { number, failed }: { number: number; failed: NodeId | null },
    from: NodeId,
  ): void {
    learn(node, here, failed)
    if (node.following[from] === number) {
      here.because?.('the check of node {from} has ended: the token is not lost, or another looks for it', {
        from,
      })
      stopFollowing(node, here, from)
    }
  },

  'create-privilege'(node: State, here: Place, { epoch }: { epoch: number }, from: NodeId): void {
    if (epoch <= node.epoch) return here.because?.('node {self} knows of epoch {epoch} already', { epoch })
    here.because?.('node {from} makes a token of epoch {epoch}: any earlier one is void', { from, epoch })
    node.epoch = epoch
    node.token = null
    node.parked = null
    if (node.checking !== null) endCheck(node, here)
    stopFollowing(node, here, from)
    here.send(from, { type: 'update', epoch, update: ownUpdate(node, here.self) })
  },

  update(node: State, here: Place, { epoch, update }: { epoch: number; update: Update }, from: NodeId): void {
    if (node.creating === null || epoch !== node.epoch)
      return here.because?.('node {self} has made its token without this report of node {from}', { from })
    here.because?.('node {from} has told its number, and whether it waits', { from })
    node.creating[from] = update
    answers.counted(node, here)
  },

  recovered(node: State, here: Place, { failed, fence }: { failed: NodeId | null; fence: number }): void {
    here.because?.('there is a token again, with a fence above {fence}', { fence })
    learn(node, here, failed)
    node.fence = Math.max(node.fence, fence)
    if (node.waiting && node.checking === null) wait(here)
  },
}

/** Whether the token is not lost as far as this node knows, or this node sees to it itself. */
function refuses(node: State, here: Place, initiator: NodeId): boolean {
  if (node.token !== null) here.because?.('the token is at node {self}')
  else if (node.creating !== null) here.because?.('node {self} is making a new token')
  else if (node.checking !== null && here.self < initiator)
    here.because?.('node {self} checks too, and is the lower of the two: node {initiator} must wait', {
      initiator,
    })
  else return false
  return true
}

function heard(node: State, here: Place, { number }: Check, from: NodeId): void {
  if (node.checking === null || number !== node.checks) {
    here.because?.('that check of node {self} has ended: node {from} is told so', { from })
    return allClear(node, here, number, from)
  }
  node.checking.heard[from] = true
  answers.counted(node, here)
}

/** Both rounds go on when all but the failed node have answered. */
export const answers = {
  counted(node: State, here: Place): void {
    const silent = missing(node, here)
    if (silent.length > 0) {
      if (node.checking !== null || node.creating !== null)
        here.because?.('node {self} needs the answer of {silent} too', { silent })
      return
    }
    if (node.checking?.lost === true) create(node, here)
    else if (node.checking !== null) {
      here.because?.('the token is not lost: it was a false alarm')
      endCheck(node, here)
    } else if (node.creating !== null) regenerate(node, here, node.creating)
  },

  overdue(node: State, here: Place): void {
    const silent = missing(node, here)
    if (silent.length === 1 && node.failed === null) {
      here.because?.('{silent} has not answered within T2, and at most one node fails', { silent })
      return learn(node, here, get(silent, 0))
    }
    here.because?.('at most one node fails: node {self} waits on for the answers of {silent}', { silent })
    awaitAnswers(here)
  },
}

function missing({ checking, creating, failed }: State, { self, setup }: Place): NodeId[] {
  return scan(self, setup).filter(
    (other) => other !== failed && checking?.heard[other] !== true && (creating?.[other] ?? null) === null,
  )
}

/** No node has the token: makes one of a new epoch. */
export function create(node: State, here: Place): void {
  node.checking = null
  node.creating = Array.from({ length: here.setup.nodes }, () => null)
  node.epoch += 1
  here.because?.('no living node has the token: node {self} makes one of epoch {epoch}', {
    epoch: node.epoch,
  })
  here.sendToOthers({ type: 'create-privilege', epoch: node.epoch })
  awaitAnswers(here)
  answers.counted(node, here)
}

function regenerate(node: State, here: Place, updates: readonly (Update | null)[]): void {
  const known = updates.with(here.self, ownUpdate(node, here.self))
  const token: Token = {
    queue: scan(here.self, here.setup).filter((other) => known[other]?.waiting === true),
    served: known.map((update, other) => (update === null ? get(node.requested, other) : served(update))),
    epoch: node.epoch,
    fence: Math.max(...known.map((update) => update?.fence ?? 0)) + LEAP,
  }
  node.creating = null
  here.cancelTimer('answers')
  here.because?.('all living nodes have told their numbers: the queue of the new token has {queue}', {
    queue: token.queue,
  })
  here.sendToOthers({ type: 'recovered', failed: node.failed, fence: token.fence })
  enter(node, here, token)
}

function ownUpdate({ requested, waiting, fence }: State, self: NodeId): Update {
  return { requested: get(requested, self), waiting, fence }
}

/** The number of a node's request that was served last, as it knows itself. */
function served({ requested: { round, number }, waiting }: Update): Numbered {
  return { round, number: waiting ? number - 1 : number }
}

export function enter(node: State, here: Place, token: Token): void {
  here.cancelTimer('T')
  node.waiting = false
  node.using = true
  node.epoch = token.epoch
  node.fence = token.fence + 1
  node.token = { ...token, fence: node.fence }
  if (node.checking !== null) node.checking.lost = false
  here.enter(node.fence)
}

/** The token is not lost, or another node looks for it. Tells all that have answered; the others hear when they answer. */
function endCheck(node: State, here: Place): void {
  const heard = nodesWhere(node.checking?.heard ?? [], (hasAnswered) => hasAnswered)
  if (heard.length > 0)
    here.because?.('{heard} answered the check of node {self}, and may use a token again', { heard })
  for (const other of heard) allClear(node, here, node.checks, other)
  node.checking = null
  here.cancelTimer('answers')
  if (node.waiting) wait(here)
}

function allClear({ failed }: State, here: Place, number: number, to: NodeId): void {
  here.send(to, { type: 'false-alarm', number, failed })
}

/** At most one node fails. No node need wait for its answers or its news any longer. */
export function learn(node: State, here: Place, failed: NodeId | null): void {
  if (failed === null || node.failed !== null) return
  here.because?.('node {failed} has failed: nobody waits for its answers any more', { failed })
  node.failed = failed
  if (node.following[failed] !== null) stopFollowing(node, here, failed)
  answers.counted(node, here)
}

/** A check has ended. With the last one we may enter again. */
function stopFollowing(node: State, here: Place, initiator: NodeId): void {
  node.following[initiator] = null
  if (!isFrozen(node)) thaw(node, here)
}

/** The initiator that we answered has failed. */
export function initiatorOverdue(node: State, here: Place): void {
  here.because?.('node {self} has heard nothing of the check for 3 T2: its initiator has failed')
  node.following.fill(null)
  thaw(node, here)
}

function thaw(node: State, here: Place): void {
  here.cancelTimer('initiator')
  const { parked } = node
  node.parked = null
  if (parked !== null) {
    here.because?.('no check holds node {self} back: it may use the token that came meanwhile')
    enter(node, here, parked)
  } else if (node.waiting && node.checking === null) wait(here)
}

function isFrozen({ following }: State): boolean {
  return following.some((check) => check !== null)
}

function awaitAnswers(here: Place): void {
  here.setTimer('answers', here.setup.options.T2)
}

export function wait(here: Place): void {
  here.setTimer('T', here.setup.options.T * here.setup.nodes)
}

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
  if (isFrozen(node) || node.checking !== null) return
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
    if (from === node.failed || (followed !== null && number < followed)) return
    const isLower = here.self < from
    if (node.token !== null || node.creating !== null || (node.checking !== null && isLower)) {
      here.send(from, { type: 'rep-critical', check })
      return
    }
    if (node.checking !== null) endCheck(node, here)
    node.following[from] = number
    here.setTimer('initiator', 3 * here.setup.options.T2)
    here.send(from, { type: node.parked === null ? 'no-crit' : 'rep-critical', check })
  },

  'rep-critical'(node: State, here: Place, { check }: { check: Check }, from: NodeId): void {
    // An older token: its holder will hear of the new one.
    if (node.creating !== null) return
    if (node.checking !== null) node.checking.lost = false
    heard(node, here, check, from)
  },

  'no-crit'(node: State, here: Place, { check }: { check: Check }, from: NodeId): void {
    heard(node, here, check, from)
  },

  'false-alarm'(
    node: State,
    here: Place,
    { number, failed }: { number: number; failed: NodeId | null },
    from: NodeId,
  ): void {
    learn(node, here, failed)
    if (node.following[from] === number) stopFollowing(node, here, from)
  },

  'create-privilege'(node: State, here: Place, { epoch }: { epoch: number }, from: NodeId): void {
    if (epoch <= node.epoch) return
    node.epoch = epoch
    node.token = null
    node.parked = null
    if (node.checking !== null) endCheck(node, here)
    stopFollowing(node, here, from)
    here.send(from, { type: 'update', epoch, update: ownUpdate(node, here.self) })
  },

  update(node: State, here: Place, { epoch, update }: { epoch: number; update: Update }, from: NodeId): void {
    if (node.creating === null || epoch !== node.epoch) return
    node.creating[from] = update
    answers.counted(node, here)
  },

  recovered(node: State, here: Place, { failed, fence }: { failed: NodeId | null; fence: number }): void {
    learn(node, here, failed)
    node.fence = Math.max(node.fence, fence)
    if (node.waiting && node.checking === null) wait(here)
  },
}

function heard(node: State, here: Place, { number }: Check, from: NodeId): void {
  if (node.checking === null || number !== node.checks) return allClear(node, here, number, from)
  node.checking.heard[from] = true
  answers.counted(node, here)
}

/** Both rounds go on when all but the failed node have answered. */
export const answers = {
  counted(node: State, here: Place): void {
    if (missing(node, here).length > 0) return
    if (node.checking?.lost === true) create(node, here)
    else if (node.checking !== null) endCheck(node, here)
    else if (node.creating !== null) regenerate(node, here, node.creating)
  },

  overdue(node: State, here: Place): void {
    const silent = missing(node, here)
    if (silent.length === 1 && node.failed === null) learn(node, here, get(silent, 0))
    else awaitAnswers(here)
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
  node.checking?.heard.forEach((hasAnswered, other) => {
    if (hasAnswered) allClear(node, here, node.checks, other)
  })
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
  node.following.fill(null)
  thaw(node, here)
}

function thaw(node: State, here: Place): void {
  here.cancelTimer('initiator')
  const { parked } = node
  node.parked = null
  if (parked !== null) enter(node, here, parked)
  else if (node.waiting && node.checking === null) wait(here)
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

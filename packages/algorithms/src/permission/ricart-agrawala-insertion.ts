/**
 * Ricart and Agrawala 1981, sections 7.2 and 7.3: nodes that come and go. An engine of `ricart-agrawala-membership`.
 *
 * Insertion (7.2.2). A new node asks a sponsor. The sponsor invokes mutual exclusion, sends the new node its list and
 * everyone else the new name, and releases. Without a sponsor, or if it fails, the new node asks every name in the
 * range to include it, and the answers tell who is there. Either way it answers requests from the start. It asks only
 * when its highest number is high enough, which it ensures in one of five ways (7.2.3).
 *
 * Removal (7.3). A departing node tells all, and answers requests until all have acknowledged.
 *
 * Where we differ:
 *  - The sponsor waits for acknowledgements before it releases. In the paper a node that has not yet heard of the new
 *    one may enter without asking it (`ricart-agrawala-membership-unacknowledged`).
 *  - Asking all for their highest number (1) works only if that includes the number of an open request. In the paper's
 *    code it does not (`ricart-agrawala-membership-highest-received`).
 *  - Without a sponsor no mutual exclusion keeps two insertions apart. So answers carry lists as well as numbers, and a
 *    new node waits for all nodes on any list. Of two new nodes the later one learns of the other from a node that
 *    heard both. The numbers come with the answers, so this is always way (1).
 *  - After a bounded time (4) the new node copies the number of a nearby node even if it heard requests. Their numbers
 *    may be lower than one that was open at the insertion, and then fences would not rise
 *    (`ricart-agrawala-membership-heard-in-time`).
 *  - A departing node tells its highest number. Otherwise a new node that was about to hear it from there would begin
 *    below numbers already used (`ricart-agrawala-membership-silent-departure`).
 *  - A node that departs or fails during an insertion may be on the list that the new node is about to get. So the new
 *    node remembers which nodes have gone, and a departing node also tells the new one.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import { answered, close, erase, pose, poseAlso, poseToAll } from './ricart-agrawala-failure.ts'
import {
  type Learning,
  type Place,
  participates,
  type State,
  withName,
  without,
} from './ricart-agrawala-membership-state.ts'

export function join(node: State, here: Place, sponsor: NodeId | null): void {
  node.standing = 'joining'
  // A node that was there when the world began, and left, has an outdated list.
  node.names = []
  if (sponsor === null) return includeMe(node, here)
  here.because?.('node {self} needs a sponsor that puts it on all lists, and asks node {sponsor}', {
    sponsor,
  })
  pose(node, here, 'join', [sponsor])
}

/** Insertion without a sponsor: every node that is there answers, or there is none. */
export function includeMe(node: State, here: Place): void {
  node.standing = 'joining'
  node.listed = here.setup.nodes === 1
  poseToAll(node, here)
}

/** A new node asks us to be its sponsor. */
export function sponsor(node: State, here: Place, from: NodeId): void {
  if (node.standing === 'leaving') return tellDeparture(node, here, from)
  if (!participates(node)) return
  const isKnown = node.sponsoring.includes(from) || node.introducing.includes(from)
  if (isKnown) {
    here.because?.('node {self} is the sponsor of node {from} already, and only says that it lives', { from })
    return here.send(from, { type: 'yes-i-am-here' })
  }
  here.because?.('node {self} will introduce node {from} when it has mutual exclusion (7.2.2)', { from })
  node.sponsoring = withName(node.sponsoring, from)
}

/** The sponsor has mutual exclusion. */
export function introduce(node: State, here: Place): void {
  node.introducing = node.sponsoring
  node.sponsoring = []
  for (const newcomer of node.introducing) node.names = withName(node.names, newcomer)
  sayWhomTold(node, here)
  pose(node, here, 'insert', node.introducing.length === 0 ? [] : node.names)
}

function sayWhomTold({ introducing, names }: State, here: Place): void {
  const told = names.filter((name) => !introducing.includes(name))
  if (introducing.length === 0) return
  if (told.length === 0)
    here.because?.(
      'node {self} has mutual exclusion: it welcomes {introducing}, and has nobody else to tell',
      {
        introducing,
      },
    )
  else
    here.because?.('node {self} has mutual exclusion: it welcomes {introducing}, and tells {told} of them', {
      introducing,
      told,
    })
}

export function insert(node: State, here: Place, nodes: readonly NodeId[]): void {
  for (const newcomer of nodes) {
    if (newcomer === here.self) continue
    if (node.standing === 'leaving') tellDeparture(node, here, newcomer)
    else if (node.standing !== 'resting') meet(node, newcomer)
  }
}

function meet(node: State, newcomer: NodeId): void {
  node.gone = without(node.gone, newcomer)
  node.names = withName(node.names, newcomer)
}

/** The sponsor's list. A node that gave up on its sponsor has asked all by now. */
export function welcome(node: State, here: Place, names: readonly NodeId[], from: NodeId): void {
  if (node.standing !== 'joining' || node.question !== 'join')
    return here.because?.('node {self} needs no list of node {from} any more', { from })
  for (const name of [...names, from]) {
    if (name !== here.self && !node.gone.includes(name)) node.names = withName(node.names, name)
  }
  close(node, here)
  node.gone = []
  node.standing = 'learning'
  const { learn, turn } = here.setup.options
  if (learn === 'ask') {
    here.because?.('node {self} is on all lists now, and asks for the highest number in use (7.2.3)')
    return pose(node, here, 'include', node.names)
  }
  here.because?.('node {self} is on all lists now, and listens to the numbers in use (7.2.3)')
  node.learning = { sponsor: from, unheard: node.names, first: null, counts: [] }
  if (learn === 'time') here.setTimer('learn', turn * node.names.length)
}

/**
 * All earlier nodes have had their turn by now. So all have seen the number of every request that was open when we came.
 */
export function askNearby(node: State, here: Place): void {
  const nearby = node.names.includes(node.learning?.sponsor ?? here.self)
    ? node.learning?.sponsor
    : node.names[0]
  here.because?.('all earlier nodes have had a turn: any of them can tell node {self} a number high enough')
  pose(node, here, 'include', nearby === undefined ? [] : [nearby])
}

/** A new node looks at the numbers in use. */
export function noteNumber({ learning }: State, number: number, from: NodeId): void {
  if (learning === null) return
  learning.unheard = without(learning.unheard, from)
  learning.first ??= number
  const count = learning.counts.find(({ node }) => node === from)?.count ?? 0
  const others = learning.counts.filter(({ node }) => node !== from)
  learning.counts = [...others, { node: from, count: count + 1 }].toSorted((a, b) => a.node - b.node)
}

/** Whether requests alone have shown that our highest number is high enough: ways (2), (3) and (5). */
export function hasSeenEnough(node: State, { setup }: Place): boolean {
  const { learning, names, highest } = node
  if (learning === null) return false
  if (names.length === 0) return true
  const enough: Record<typeof setup.options.learn, (seen: Learning) => boolean> = {
    ask: () => false,
    time: () => false,
    'one-from-each': ({ unheard }) => unheard.length === 0,
    growth: ({ first }) => first !== null && highest - first >= names.length,
    fourth: ({ counts }) => counts.some(({ count }) => count >= 4),
  }
  return enough[setup.options.learn](learning)
}

/** A node wants to be on our list and to hear our highest number. */
export function include(node: State, here: Place, from: NodeId, back: boolean): void {
  if (node.standing === 'leaving') return tellDeparture(node, here, from)
  // It will hear of us when we are back. A notice of our failure might arrive only after that.
  if (node.standing === 'resting') {
    here.because?.('node {self} rests, and will ask node {from} itself when it is back', { from })
    return here.send(from, { type: 'yes-i-am-here' })
  }
  const isNews = node.standing === 'joining' && !node.names.includes(from)
  meet(node, from)
  const names = participates(node) ? without(node.names, from) : null
  here.because?.('node {from} is on the list of node {self} now, and may know its highest number {number}', {
    from,
    number: node.highest,
  })
  here.send(from, { type: 'highest', number: node.highest, names })
  if (node.question !== 'include') return
  if (isNews) node.awaiting = withName(node.awaiting, from)
  // It may have come too late to hear our question.
  if (!node.awaiting.includes(from) || back) return
  here.because?.('node {from} may have come too late to hear the question of node {self}', { from })
  here.send(from, { type: 'include', back: true })
}

export function hearHighest(node: State, here: Place, names: readonly NodeId[] | null, from: NodeId): void {
  if (node.question !== 'include') return
  if (node.standing === 'joining' && !node.gone.includes(from)) {
    const isNew = (name: NodeId) =>
      name !== here.self && !node.names.includes(name) && !node.gone.includes(name)
    for (const name of (names ?? []).filter(isNew)) {
      node.names = withName(node.names, name)
      node.awaiting = withName(node.awaiting, name)
    }
    if (names !== null) node.listed = true
    meet(node, from)
    node.awaiting = withName(node.awaiting, from)
  }
  answered(node, here, from)
}

/** A node that has left has nothing more to tell its list. */
export function depart(node: State, here: Place): void {
  node.standing = 'leaving'
  node.learning = null
  node.departs = false
  here.cancelTimer('learn')
  here.cancelTimer('rest')
  here.because?.('node {self} leaves, and answers requests until all have acknowledged (7.3)')
  pose(node, here, 'leave', node.names)
}

function tellDeparture(node: State, here: Place, to: NodeId): void {
  here.because?.('node {to} does not know yet that node {self} leaves', { to })
  node.names = withName(node.names, to)
  if (node.question === 'leave') poseAlso(node, here, to)
  else pose(node, here, 'leave', [to])
}

export function hearDeparture(node: State, here: Place, from: NodeId): void {
  here.because?.('node {from} leaves: node {self} expects nothing of it any more', { from })
  erase(node, from)
  here.send(from, { type: 'ack', number: null })
}

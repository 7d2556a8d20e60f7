/**
 * Ricart and Agrawala 1981, section 7.4: nodes that fail. An engine of `ricart-agrawala-membership`.
 *
 * The paper's timers guard requests. Here they guard every question that a set of nodes must answer. If no answer comes
 * for a time, the node suspects and probes all that have not answered. A node that gives no sign of life for a second
 * time has failed. The node that finds this tells all others, and every node erases the failed one from all its sets.
 * In the paper it pretends to have its reply; here it no longer waits for it. A request may wait long for a section
 * that is held, so a node that defers its reply says YES_I_AM_HERE, and the first time-out begins anew.
 *
 * Where we differ:
 *  - The paper's probe names only the asking node, and the answer is REPLY unless a reply to that node is deferred. But
 *    the request may have been lost, as the paper says itself, and the probed node may be inside. Then both are inside
 *    (`ricart-agrawala-membership-probe-without-number`). Our probe carries the number and counts as the request.
 *  - The paper counts replies down, and a pretended reply may be followed by the real one. We keep the names of the nodes
 *    that owe one.
 *
 * Nothing here can tell a failed node from one that cannot be reached. If the network splits, each side takes the other
 * for failed, and a node on each side enters.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import {
  type Message,
  type Place,
  type Question,
  type State,
  withName,
  without,
} from './ricart-agrawala-membership-state.ts'

/** Asks each of some nodes, and waits for all answers. */
export function pose(node: State, here: Place, question: Question, whom: readonly NodeId[]): void {
  close(node, here)
  node.question = question
  node.awaiting = [...whom]
  if (whom.length === 0 && question !== 'insert')
    here.because?.('there is no other node that has to answer node {self}')
  for (const other of whom) here.send(other, question === 'request' ? request(node) : wordsFor(node, other))
  waitForAnswers(here)
}

/** Asks one more. */
export function poseAlso(node: State, here: Place, to: NodeId): void {
  node.awaiting = withName(node.awaiting, to)
  here.send(to, wordsFor(node, to))
  if (node.silent === null) waitForAnswers(here)
}

/** Asks every name in the range. The first participant to answer tells whom to wait for. */
export function poseToAll(node: State, here: Place): void {
  node.question = 'include'
  node.awaiting = [...node.names]
  here.because?.('node {self} asks every name in the range to include it')
  here.sendToOthers({ type: 'include', back: false })
  waitForAnswers(here)
}

/** Withdraws the question, or finds it answered. */
export function close(node: State, here: Place): void {
  node.question = null
  node.awaiting = []
  node.silent = null
  here.cancelTimer('answer')
  here.cancelTimer('probe')
}

export function answered(node: State, here: Place, from: NodeId): void {
  if (!node.awaiting.includes(from)) return
  node.awaiting = without(node.awaiting, from)
  if (node.awaiting.length > 0)
    here.because?.('node {self} still waits for the answer of {awaiting}', { awaiting: node.awaiting })
  else if (!node.listed) here.because?.('no participant has told node {self} yet who is there')
  if (node.silent === null) waitForAnswers(here)
  else isAlive(node, here, from)
}

/** A sign of life. When all suspects have given one, a new period begins. */
export function isAlive(node: State, here: Place, from: NodeId): void {
  if (node.silent === null || !node.silent.includes(from)) return
  node.silent = without(node.silent, from)
  here.because?.('node {from} has given a sign of life: node {self} does not suspect it any more', { from })
  if (node.silent.length === 0) beginAnew(node, here)
}

/** The first time-out suspects, the second convicts. */
export function suspectOrConvict(node: State, here: Place, timer: 'answer' | 'probe'): void {
  if (timer === 'answer') {
    node.silent = [...node.awaiting]
    if (!node.listed) {
      here.because?.('no participant has answered node {self} in time: it asks the whole range again')
      here.sendToOthers({ type: 'include', back: false })
    } else
      for (const suspect of node.silent) {
        sayWhySuspected(node, here, suspect)
        here.send(suspect, wordsFor(node, suspect))
      }
    return here.setTimer('probe', here.setup.options.probe)
  }
  const failed = node.silent ?? []
  for (const peer of failed) erase(node, peer)
  if (failed.length === 0) here.because?.('node {self} has no suspect left')
  else if (node.names.length === 0)
    here.because?.('node {self} erases {failed}, silent for a second time, and has nobody to tell', {
      failed,
    })
  else
    here.because?.('node {self} erases {failed}, silent for a second time, and tells the others', { failed })
  for (const peer of failed) for (const other of node.names) here.send(other, { type: 'failed', node: peer })
  // The whole range has no participant: the group begins anew with the nodes that answered.
  node.listed = true
  beginAnew(node, here)
}

/** A node has failed or left. We expect nothing of it any more, and owe it nothing. */
export function erase(node: State, peer: NodeId): void {
  node.names = without(node.names, peer)
  node.awaiting = without(node.awaiting, peer)
  if (node.silent !== null) node.silent = without(node.silent, peer)
  node.deferred = node.deferred.filter(({ node: waiting }) => waiting !== peer)
  node.sponsoring = without(node.sponsoring, peer)
  node.introducing = without(node.introducing, peer)
  if (node.standing === 'joining') node.gone = withName(node.gone, peer)
  if (node.learning !== null) node.learning.unheard = without(node.learning.unheard, peer)
}

/**
 * The node runs again, or learns that it counts as failed. It says so to all, and rests until all know it and its old
 * messages have arrived (7.2.1). A caller that waits here goes on waiting.
 */
export function rest(node: State, here: Place): void {
  close(node, here)
  node.standing = 'resting'
  node.names = []
  node.ours = null
  node.deferred = []
  node.sponsoring = []
  node.introducing = []
  node.listed = true
  node.gone = []
  node.learning = null
  here.because?.('node {self} counts as failed: it rests until all know it and its old messages have arrived')
  here.sendToOthers({ type: 'failed', node: here.self })
  here.setTimer('rest', here.setup.options.rest)
}

/** The first time-out has come for a node that we wait for. */
function sayWhySuspected(node: State, here: Place, to: NodeId): void {
  switch (node.question) {
    case 'request':
      return here.because?.('node {self} suspects node {to}: it has not replied to number {number} in time', {
        to,
        number: node.ours as number,
      })
    case 'insert':
      return node.introducing.includes(to)
        ? here.because?.('node {self} suspects the new node {to}: it has not acknowledged its list in time', {
            to,
          })
        : here.because?.('node {self} suspects node {to}: it has not acknowledged the new nodes in time', {
            to,
          })
    case 'join':
      return here.because?.('node {self} suspects its sponsor, node {to}: it has not introduced it in time', {
        to,
      })
    case 'leave':
      return here.because?.('node {self} suspects node {to}: it has not acknowledged the departure in time', {
        to,
      })
    default:
      here.because?.('node {self} suspects node {to}: it has not told its highest number in time', { to })
  }
}

function beginAnew(node: State, here: Place): void {
  node.silent = null
  here.cancelTimer('probe')
  waitForAnswers(here)
}

/** Every other node may have a turn before an answer comes. If no answer is missing, the caller closes the question at once. */
function waitForAnswers(here: Place): void {
  const { options, nodes } = here.setup
  here.setTimer('answer', options.wait * nodes)
}

function request({ ours }: State): Message {
  return { type: 'request', number: ours as number }
}

/** The message that puts the question to a node, first or again. A request is repeated as a probe. */
function wordsFor(node: State, to: NodeId): Message {
  const number = node.ours as number
  switch (node.question) {
    case 'request':
      return { type: 'are-you-there', number }
    case 'insert':
      return node.introducing.includes(to)
        ? { type: 'welcome', number, names: node.names }
        : { type: 'insert', number, nodes: node.introducing }
    case 'join':
      return { type: 'join' }
    case 'leave':
      return { type: 'leave', number: node.highest }
    default:
      return { type: 'include', back: false }
  }
}

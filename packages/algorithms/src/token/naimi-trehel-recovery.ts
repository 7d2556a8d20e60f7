/**
 * Naimi and Trehel, "How to detect a failure and regenerate the token in the log(n) distributed algorithm for
 * mutual exclusion", 2nd International Workshop on Distributed Algorithms, 1987 (LNCS 312, 1988); here after
 * Velazquez 1993, section 4.
 *
 * The rules are those of `naimi-trehel`; a node that waits longer than Twait presumes a failure. It consults all: a node
 * that has it as NEXT says so, and it goes on waiting. If none answers within Telec, it queries whether the token is
 * present. A node that has it, or gets it later, answers, and the request is made anew. If none answers, the node is a
 * candidate and announces an election. Of several candidates the smallest number stays, and the others become observers.
 * After one more Telec it has a new token and is the root. All nodes point at it, and waiting nodes ask again.
 *
 * Why it is safe, if delays have a bound D and Telec exceeds 3D: a query finds a token that exists, also one under way
 * to a node that has been asked, and of two candidates one hears of the other in time. Twait may be too short: a false
 * alarm only costs messages. Why nobody starves: a node that is in no queue finds the token or makes one.
 *
 * Assumes reliable channels between every two nodes and a bound on delays; no order. Without failures an entry costs
 * what it does in `naimi-trehel`; a regeneration 4(n-1) messages, and a request from each waiting node. Beyond the
 * bound, or if the network splits, there are two tokens: no time-out can tell slow from dead.
 *
 * Where we differ:
 *  - A repeated request may leave the first one behind, so that two nodes have its origin as NEXT. A node that gets the
 *    token without having asked becomes an idle root, and a node drops its own request if it comes back.
 *  - Such requests may also leave nodes that have each other as NEXT, in a circle, and tell each other to wait. A node
 *    that was told so n times in a row queries anyway.
 *  - REQUEST, TOKEN and the election carry an epoch that a regeneration raises. Nodes drop older messages, and a token
 *    that an election overtakes is void. The fence is the epoch, then a counter of entries.
 *  - The survey's Telec lasts for a question and its answers, 2D. A token under way takes a third D.
 *  - A node that comes back gives up its token and inquires before it takes part. A node that asks in an old epoch is
 *    told the new one. We do not claim to survive restarts: if all nodes that know the epoch are down together, fences
 *    begin anew.
 */
import type { Algorithm, Here } from '@turnwise/core/algorithm'
import { sendingThrough } from '@turnwise/core/extension'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import { type Message as BaseMessage, naimiTrehel } from './naimi-trehel.ts'
import { type Message, type Options, type Phase, type State, shapes } from './naimi-trehel-recovery-state.ts'

type Place = Here<Message, Options>

/** Entries that the fences of one epoch have room for. */
const FENCES_PER_EPOCH = 1e9

/** The least Twait for which costs are claimed: without failures no queue moves more slowly. */
const PATIENT = 100

export const naimiTrehelRecovery: Algorithm<State, Message, Options> = {
  facts: {
    ...naimiTrehel.facts,
    name: 'naimi-trehel-recovery',
    title: 'Naimi-Trehel with failure detection',

    idea:
      'Path reversal as Naimi and Trehel have it. A node that waits too long asks all others whether its place in the ' +
      'queue is known, then whether the token is there. If neither, the smallest of the nodes that miss it makes ' +
      'a new one and becomes the root of a new tree.',
    knows: 'everyone',
    messages: {
      formula: naimiTrehel.facts.messages.formula,
      light: (setup) => unlessImpatient(setup, naimiTrehel.facts.messages.light(setup)),
      heavy: (setup) => unlessImpatient(setup, naimiTrehel.facts.messages.heavy(setup)),
    },
    syncDelay: {
      formula: '1',
      hops: ({ options }) => ({ min: 1, max: options.twait < PATIENT ? Number.POSITIVE_INFINITY : 1 }),
    },
    faults: ['crash'],
    timing: 'bounded',
    timers: {
      waiting: 'time-out',
      consulting: 'time-out',
      query: 'time-out',
      candidate: 'time-out',
      observer: 'time-out',
    },
  },
  options: {
    twait: {
      kind: 'integer',
      default: PATIENT,
      min: 1,
      title: 'Wait for the token (Twait)',
      about: 'units of time, for each node of the system, that a node waits before it presumes a failure',
    },
    telec: {
      kind: 'integer',
      default: 100,
      min: 1,
      title: 'Wait for answers (Telec)',
      about: 'units of time until a question to all counts as answered: more than three message delays',
    },
  },
  shapes,
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init(self, setup) {
    return {
      ...naimiTrehel.init(self, setup),
      epoch: 0,
      phase: 'rest',
      using: setup.inside.includes(self),
      quieted: 0,
      unanswered: [],
    }
  },

  request(node, here) {
    if (isInElection(node)) {
      here.because?.('an election is on: node {self} asks when there is a new token')
      node.requesting = true
    } else if (node.fence === null && node.last === null) {
      // Only a node that came back points nowhere.
      here.because?.('node {self} came back, and knows nobody to ask: it looks for the token first')
      node.requesting = true
      inquire(node, here)
    } else ask(node, here)
  },

  release(node, here) {
    node.using = false
    if (isInElection(node)) {
      here.because?.('node {self} has left, and the election that is on replaces its token')
      node.requesting = false
    } else if (node.fence === null) {
      here.because?.('the token of node {self} became void while it was inside: those behind it find out')
      node.requesting = false
      node.next = null
    } else naimiTrehel.release(node, stamping(node, here))
  },

  timeout(node, here) {
    switch (node.phase) {
      case 'waiting':
        // A queue of all the others would be served by now. The nodes before us may wait for each other, and for us.
        if (node.quieted === here.setup.nodes) {
          here.because?.('node {self} was told {times} times to wait: those before it may wait for it', {
            times: node.quieted,
          })
          return inquire(node, here)
        }
        here.because?.('node {self} has waited for Twait: does anybody have it as NEXT?')
        pass(node, here, 'consulting')
        return here.sendToOthers({ type: 'consult', epoch: node.epoch })
      case 'consulting':
        here.because?.('nobody has node {self} as NEXT: does anybody have the token?')
        return inquire(node, here)
      case 'query':
      case 'observer':
        if (node.phase === 'query')
          here.because?.('nobody has the token: node {self} is a candidate to make a new one')
        else here.because?.('no candidate has made a token in time: node {self} is one now')
        pass(node, here, 'candidate')
        node.unanswered = []
        return here.sendToOthers({ type: 'election', epoch: node.epoch })
      case 'candidate':
        here.because?.(
          'no smaller candidate than node {self} has spoken up: it makes a token of epoch {epoch}',
          {
            epoch: node.epoch + 1,
          },
        )
        return regenerate(node, here)
    }
  },

  /** Its token may have been replaced, and its knowledge is outdated. */
  restart(node, here, memory) {
    if (!memory) Object.assign(node, { requesting: false, using: false })
    here.because?.('node {self} was away: its token may be replaced, and its pointers are out of date')
    node.fence = null
    node.last = null
    node.next = null
    node.unanswered = []
    node.phase = 'rest'
    if (!node.requesting || node.using) return
    here.because?.('node {self} still waits, and looks for the token')
    inquire(node, here)
  },

  receive: {
    request(node, here, request, from) {
      const { origin } = request
      if (!isCurrent(node, here, request.epoch)) return
      if (isInElection(node)) return here.because?.('an election is on: who waits asks again after it')
      // After a repeated request the first one may come back.
      if (origin === here.self) return here.because?.('node {self} has asked again since, in another place')
      if (node.last === null && !node.requesting && node.fence === null)
        return here.because?.('node {self} came back, and is not the root that node {origin} takes it for', {
          origin,
        })
      naimiTrehel.receive.request(node, stamping(node, here), { type: 'request', origin }, from)
    },

    token(node, here, { epoch, fence }, from) {
      if (!isCurrent(node, here, epoch)) return
      if (isInElection(node)) return here.because?.('the election that is on makes another token than this')
      const { unanswered } = node
      if (unanswered.length > 0)
        here.because?.('the token is here, and had been missed by {unanswered}', { unanswered })
      for (const other of unanswered) here.send(other, { type: 'present', epoch })
      node.unanswered = []
      if (!node.requesting || node.using) return keepUnrequested(node, here, fence)
      naimiTrehel.receive.token(node, stamping(node, here), { type: 'token', fence }, from)
      pass(node, here, 'rest')
    },

    consult(node, here, _consult, from) {
      if (node.next !== from) return here.because?.('node {from} does not come after node {self}', { from })
      here.because?.('node {from} comes after node {self}, and need only wait', { from })
      here.send(from, { type: 'quiet', epoch: node.epoch })
    },

    quiet(node, here, { epoch }) {
      // We were behind, and still need an answer.
      if (epoch > node.epoch) return catchUp(node, here, epoch)
      if (node.phase === 'consulting') {
        node.quieted += 1
        here.because?.(
          'a node has node {self} as NEXT, so it waits on; {times} times in a row it was told so',
          {
            times: node.quieted,
          },
        )
      } else if (node.phase === 'query')
        here.because?.('a late answer: a node has node {self} as NEXT, so it waits on')
      else return here.because?.('node {self} has not asked who comes before it, or not any more')
      pass(node, here, 'waiting')
    },

    failure(node, here, { epoch }, from) {
      catchUp(node, here, epoch)
      if (node.fence !== null) {
        here.because?.('node {self} has the token that node {from} misses', { from })
        here.send(from, { type: 'present', epoch: node.epoch })
      } else if (epoch < node.epoch) {
        here.because?.('node {from} is behind: epoch {epoch} has begun', { from, epoch: node.epoch })
        here.send(from, { type: 'quiet', epoch: node.epoch })
      } else if (node.unanswered.includes(from))
        here.because?.('node {self} still has no token to tell node {from} of', { from })
      else {
        here.because?.('node {self} has no token: it tells node {from} if it gets it', { from })
        node.unanswered = [...node.unanswered, from].toSorted((a, b) => a - b)
      }
    },

    present(node, here, { epoch }, from) {
      catchUp(node, here, epoch)
      if (node.phase !== 'query') return here.because?.('node {self} does not look for the token any more')
      here.because?.('the token is at node {from}: node {self} makes its request anew', { from })
      node.last = from
      // Those behind us find out for themselves: our new place may be behind theirs.
      node.next = null
      ask(node, here)
    },

    election(node, here, { epoch }, from) {
      if (!isCurrent(node, here, epoch)) return
      if (node.phase !== 'candidate')
        here.because?.('node {from} is a candidate: node {self} waits for what comes of it', { from })
      else if (here.self < from)
        return here.because?.('node {self} is a candidate too, and smaller than node {from}', { from })
      else here.because?.('node {from} is the smaller candidate: node {self} only observes', { from })
      node.unanswered = []
      pass(node, here, 'observer')
    },

    elected(node, here, { epoch }, from) {
      if (epoch <= node.epoch) return here.because?.('node {self} knows of epoch {epoch} already', { epoch })
      here.because?.('node {from} has made the token of epoch {epoch}, and is the root', { from, epoch })
      begin(node, epoch)
      node.last = from
      if (node.requesting && !node.using) ask(node, here)
      else pass(node, here, 'rest')
    },
  },
}

/** Asks the LAST for the token, or enters with it. */
function ask(node: State, here: Place): void {
  naimiTrehel.request(node, stamping(node, here), { mode: 'exclusive', priority: 0 })
  pass(node, here, node.using ? 'rest' : 'waiting')
}

function inquire(node: State, here: Place): void {
  pass(node, here, 'query')
  here.sendToOthers({ type: 'failure', epoch: node.epoch })
}

/** Two nodes had us as NEXT. As the holder of an idle token we are the root, even if another asked last. */
function keepUnrequested(node: State, here: Place, fence: number): void {
  here.because?.('node {self} did not wait for this token: it keeps it, and is the root')
  node.fence = fence
  node.last = null
}

/** Elected: makes a new token, and becomes the root. */
function regenerate(node: State, here: Place): void {
  begin(node, node.epoch + 1)
  node.fence = node.epoch * FENCES_PER_EPOCH
  here.sendToOthers({ type: 'elected', epoch: node.epoch })
  if (node.requesting && !node.using) ask(node, here)
  else pass(node, here, 'rest')
}

/** A new epoch: everything queued, held or asked in the last one is void. */
function begin(node: State, epoch: number): void {
  node.epoch = epoch
  node.last = null
  node.next = null
  node.fence = null
  node.unanswered = []
}

/** A node that was down, or out of reach, when a later epoch began hears of it now. */
function catchUp(node: State, here: Place, epoch: number): void {
  if (epoch <= node.epoch) return
  here.because?.('epoch {epoch} has begun without node {self}: all that it has of earlier ones is void', {
    epoch,
  })
  begin(node, epoch)
  if (isInElection(node)) pass(node, here, node.requesting && !node.using ? 'waiting' : 'rest')
}

/** Whether a message of this epoch still, or already, counts. */
function isCurrent(node: State, here: Place, epoch: number): boolean {
  catchUp(node, here, epoch)
  if (epoch < node.epoch)
    here.because?.('this is of epoch {epoch}, and void: epoch {current} has begun', {
      epoch,
      current: node.epoch,
    })
  return epoch === node.epoch
}

function isInElection({ phase }: State): boolean {
  return phase === 'candidate' || phase === 'observer'
}

/** Goes to the next phase, or begins the same one anew. */
function pass(node: State, here: Place, phase: Phase): void {
  const { twait, telec } = here.setup.options
  if (node.phase !== 'rest') here.cancelTimer(node.phase)
  node.phase = phase
  if (phase !== 'waiting' && phase !== 'consulting') node.quieted = 0
  if (phase === 'waiting') here.setTimer(phase, twait * here.setup.nodes)
  // An observer waits for the result of a candidate at the end of its Telec.
  else if (phase !== 'rest') here.setTimer(phase, phase === 'observer' ? 2 * telec : telec)
}

/** Where the rules of `naimi-trehel` act: what they send carries the epoch, and a node that they let in is inside. */
function stamping(node: State, here: Place): Here<BaseMessage> {
  return {
    ...sendingThrough<BaseMessage, Options>(here, (to, message) =>
      here.send(to, { ...message, epoch: node.epoch }),
    ),
    enter(fence) {
      node.using = true
      here.enter(fence)
    },
  }
}

function unlessImpatient({ options }: Setup<Options>, prediction: Prediction): Prediction {
  return options.twait < PATIENT ? { min: 0, max: Number.POSITIVE_INFINITY, mean: null } : prediction
}

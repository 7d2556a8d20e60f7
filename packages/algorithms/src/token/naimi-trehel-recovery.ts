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
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { sendingThrough } from '@turnwise/core/extension'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import { type Message as BaseMessage, type State as BaseState, naimiTrehel } from './naimi-trehel.ts'

export type Message = { readonly epoch: number } & (
  | BaseMessage
  /** Does any node have the sender as NEXT? */
  | { readonly type: 'consult' }
  /** Yes: go on waiting. Or, with a later epoch: you are behind. */
  | { readonly type: 'quiet' }
  /** The sender fears that the token is lost: does any node have it? */
  | { readonly type: 'failure' }
  /** The sender has it. */
  | { readonly type: 'present' }
  /** The sender is a candidate for making a new token. */
  | { readonly type: 'election' }
  /** The sender has made a new token, and is the root. */
  | { readonly type: 'elected' }
)

/** The phase of a node. Each but rest ends with a time-out of its name. */
type Phase = 'rest' | 'waiting' | 'consulting' | 'query' | 'candidate' | 'observer'

export interface State extends BaseState {
  /** How many times the token was replaced. */
  epoch: number
  /** Rest: neither waiting nor in an election; at rest a node may be inside. */
  phase: Phase
  using: boolean
  /** How often in a row it was told to go on waiting. */
  quieted: number
  /** The nodes that asked in vain whether the token is here, in order of number. They are told when it comes. */
  unanswered: NodeId[]
}

export interface Options {
  twait: number
  telec: number
}

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
      'Path reversal as in naimi-trehel. A node that waits too long asks all others whether its place in the ' +
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
      about: 'units of time, for each node of the system, that a node waits before it presumes a failure',
    },
    telec: {
      kind: 'integer',
      default: 100,
      min: 1,
      about: 'units of time until a question to all counts as answered: more than three message delays',
    },
  },
  shapes: {
    state: {
      ...naimiTrehel.shapes.state,
      // A fence may begin anew from it, so the checker must not shift it like a clock.
      epoch: 'data',
      phase: 'data',
      using: 'data',
      quieted: 'data',
      unanswered: { list: 'node' },
    },
    messages: {
      request: { ...naimiTrehel.shapes.messages.request, epoch: 'data' },
      token: { ...naimiTrehel.shapes.messages.token, epoch: 'data' },
      consult: { epoch: 'data' },
      quiet: { epoch: 'data' },
      failure: { epoch: 'data' },
      present: { epoch: 'data' },
      election: { epoch: 'data' },
      elected: { epoch: 'data' },
    },
    fence: naimiTrehel.shapes.fence,
  },
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
    if (isInElection(node)) node.requesting = true
    else if (node.fence === null && node.last === null) {
      // Only a node that came back points nowhere.
      node.requesting = true
      inquire(node, here)
    } else ask(node, here)
  },

  release(node, here) {
    node.using = false
    if (isInElection(node)) node.requesting = false
    else if (node.fence === null) {
      // The token became void while we were inside. The nodes behind us find out.
      node.requesting = false
      node.next = null
    } else naimiTrehel.release(node, stamping(node, here))
  },

  timeout(node, here) {
    switch (node.phase) {
      case 'waiting':
        // A queue of all the others would be served by now. The nodes before us may wait for each other, and for us.
        if (node.quieted === here.setup.nodes) return inquire(node, here)
        pass(node, here, 'consulting')
        return here.sendToOthers({ type: 'consult', epoch: node.epoch })
      case 'consulting':
        return inquire(node, here)
      case 'query':
      case 'observer':
        pass(node, here, 'candidate')
        node.unanswered = []
        return here.sendToOthers({ type: 'election', epoch: node.epoch })
      case 'candidate':
        return regenerate(node, here)
    }
  },

  /** Its token may have been replaced, and its knowledge is outdated. */
  restart(node, here, memory) {
    if (!memory) Object.assign(node, { requesting: false, using: false })
    node.fence = null
    node.last = null
    node.next = null
    node.unanswered = []
    node.quieted = 0
    node.phase = 'rest'
    if (node.requesting && !node.using) inquire(node, here)
  },

  receive: {
    request(node, here, request, from) {
      if (!isCurrent(node, here, request.epoch) || isInElection(node)) return
      // After a repeated request the first one may come back. A node that came back may be taken for the root.
      const isLost = node.last === null && !node.requesting && node.fence === null
      if (request.origin === here.self || isLost) return
      naimiTrehel.receive.request(
        node,
        stamping(node, here),
        { type: 'request', origin: request.origin },
        from,
      )
    },

    token(node, here, { epoch, fence }, from) {
      // The election makes another.
      if (!isCurrent(node, here, epoch) || isInElection(node)) return
      for (const other of node.unanswered) here.send(other, { type: 'present', epoch })
      node.unanswered = []
      if (!node.requesting || node.using) return keepUnrequested(node, fence)
      naimiTrehel.receive.token(node, stamping(node, here), { type: 'token', fence }, from)
      pass(node, here, 'rest')
    },

    consult(node, here, _consult, from) {
      if (node.next === from) here.send(from, { type: 'quiet', epoch: node.epoch })
    },

    quiet(node, here, { epoch }) {
      // We were behind, and still need an answer.
      if (epoch > node.epoch) return catchUp(node, here, epoch)
      if (node.phase !== 'consulting' && node.phase !== 'query') return
      if (node.phase === 'consulting') node.quieted += 1
      pass(node, here, 'waiting')
    },

    failure(node, here, { epoch }, from) {
      catchUp(node, here, epoch)
      if (node.fence !== null) here.send(from, { type: 'present', epoch: node.epoch })
      else if (epoch < node.epoch) here.send(from, { type: 'quiet', epoch: node.epoch })
      else if (!node.unanswered.includes(from)) {
        node.unanswered = [...node.unanswered, from].toSorted((a, b) => a - b)
      }
    },

    present(node, here, { epoch }, from) {
      catchUp(node, here, epoch)
      if (node.phase !== 'query') return
      node.last = from
      // Those behind us find out for themselves: our new place may be behind theirs.
      node.next = null
      ask(node, here)
    },

    election(node, here, { epoch }, from) {
      if (!isCurrent(node, here, epoch)) return
      if (node.phase === 'candidate' && here.self < from) return
      node.unanswered = []
      pass(node, here, 'observer')
    },

    elected(node, here, { epoch }, from) {
      if (epoch <= node.epoch) return
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
function keepUnrequested(node: State, fence: number): void {
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
  begin(node, epoch)
  if (isInElection(node)) pass(node, here, node.requesting && !node.using ? 'waiting' : 'rest')
}

/** Whether a message of this epoch still, or already, counts. */
function isCurrent(node: State, here: Place, epoch: number): boolean {
  catchUp(node, here, epoch)
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

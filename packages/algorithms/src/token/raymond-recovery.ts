/**
 * Raymond 1989, recovery of a failed node; here after Velazquez 1993, section 4, which tells what it achieves, not
 * how. The rules are those of `raymond`, whose messages carry a count.
 *
 * A node that comes back has lost its state, but its neighbours know what it knew. It sends RESTART to all of them, and
 * each answers with ADVISE: whether it takes this node for the holder, whether it has asked it, and whether it has this
 * node in its queue. If a neighbour does not take this node for the holder, the privilege lies in that direction. If all
 * do, the privilege was here or under way to or from here, and is here again. The neighbours that asked form the new queue.
 *
 * Why there is still one privilege: a privilege that was under way over one of these channels must not count, as the
 * node now has it. The ends of a channel count the restarts, and a message carries the count. RESTART raises it, ADVISE
 * tells it, and a node drops older messages. Messages that arrive before the advice is complete wait. A neighbour that
 * takes this node for the holder also removes it from its queue: the privilege it waited for never came.
 *
 * Assumes that all neighbours are up and in order until they have answered, and that a node does not fail again while
 * messages from before its restart are under way. Two neighbours that fail together wait for each other for ever, which
 * is safe. There is no time-out. A recovery costs two messages for each neighbour. The fence leaps, because no other
 * node knows how often the node entered with the privilege that it lost.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { sendingThrough } from '@turnwise/core/extension'
import { type Message as BaseMessage, type State as BaseState, raymond } from './raymond.ts'

/** The sender has lost its state, and asks the receiver what it knows of it. */
interface Restart {
  readonly type: 'restart'
}

interface Advice {
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

/** A message of `raymond`, with the count of its channel. */
type Tagged<M = BaseMessage> = M & { readonly incarnation: number }

export type Message = Tagged | Restart | Advice

/** What a node keeps for its own recovery and that of its neighbours. */
interface Recovery {
  /** How many restarts the channel to a neighbour has seen, where any. */
  incarnations: { neighbour: NodeId; count: number }[]
  /** The last fence that came by. */
  seen: number
  /** While this node recovers: the advice so far, and the messages that have to wait. */
  rebuilding: {
    advice: { from: NodeId; advice: Advice }[]
    early: { from: NodeId; message: Tagged }[]
  } | null
}

export interface State extends BaseState {
  recovery: Recovery
}

/** How many entries with one privilege a recovery allows for. */
const LEAP = 1e9

const FENCE = { clock: 'fence' } as const
const ADVICE = {
  incarnation: 'data',
  holderIsYou: 'data',
  asked: 'data',
  queued: 'data',
  fence: FENCE,
} as const
const RECOVERY = {
  fields: {
    incarnations: { list: { fields: { neighbour: 'node', count: 'data' } } },
    seen: FENCE,
    rebuilding: {
      fields: {
        advice: { list: { fields: { from: 'node', advice: { fields: { type: 'data', ...ADVICE } } } } },
        early: {
          list: {
            fields: {
              from: 'node',
              message: { fields: { type: 'data', fence: FENCE, incarnation: 'data' } },
            },
          },
        },
      },
    },
  },
} as const

const { facts, shapes } = raymond

export const raymondRecovery: Algorithm<State, Message> = {
  facts: {
    ...facts,
    name: 'raymond-recovery',
    title: 'Raymond tree, recovery',
    idea:
      'Raymond where a node that failed and comes back asks its neighbours what it knew: where the token lies, and who ' +
      'has asked. Messages that were under way when it failed are void, and the token is made anew if it was here.',
    faults: [...facts.faults, 'crash', 'restart'],
  },
  options: {},
  shapes: {
    state: { ...shapes.state, recovery: RECOVERY },
    messages: {
      request: { incarnation: 'data' },
      privilege: { ...shapes.messages.privilege, incarnation: 'data' },
      restart: {},
      advise: ADVICE,
    },
    fence: shapes.fence,
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' ? 1 : 0),
    isVoid: (message, { recovery }, from) =>
      message.type === 'privilege' && message.incarnation !== incarnationOf(recovery, from),
  },

  init: (self, setup) => ({ ...raymond.init(self, setup), recovery: calm() }),

  request(node, here, ask) {
    if (node.recovery.rebuilding === null) raymond.request(node, tagging(node, here), ask)
    else {
      here.because?.('node {self} is still recovering: its own request waits')
      node.queue.push(here.self)
    }
  },

  release(node, here) {
    if (node.recovery.rebuilding === null) raymond.release(node, tagging(node, here))
    else here.because?.('node {self} is still recovering: what it had is void')
  },

  restart(node, here) {
    const neighbours = here.setup.topology.neighbours(here.self)
    if (neighbours.length === 0) return here.because?.('node {self} has nobody to ask, and goes on')
    here.because?.('node {self} does not know where the privilege lies: it asks {neighbours}', { neighbours })
    forget(node, here.self)
    for (const neighbour of neighbours) here.send(neighbour, { type: 'restart' })
  },

  receive: {
    request(node, here, request, from) {
      if (!admits(node, request, from)) return sayWhyNot(node, here, from)
      raymond.receive.request(node, tagging(node, here), request, from)
    },

    privilege(node, here, privilege, from) {
      if (!admits(node, privilege, from)) return sayWhyNot(node, here, from)
      node.recovery.seen = privilege.fence
      raymond.receive.privilege(node, tagging(node, here), privilege, from)
    },

    restart(node, here, _restart, from) {
      const advice = adviceFor(node, from)
      if (advice === null)
        return here.because?.('node {self} recovers too, and has no advice for node {from}', { from })
      here.because?.(
        'node {self} tells node {from} what it knew: where the privilege lies, and who has asked',
        { from },
      )
      here.send(from, advice)
    },

    advise(node, here, advice, from) {
      const early = take(node, here, advice, from)
      if (early === null) return here.because?.('node {self} needs the advice of all its neighbours')
      if (node.fence === null)
        here.because?.('all have advised node {self}: the privilege lies beyond node {holder}', {
          holder: node.holder,
        })
      else here.because?.('all neighbours point at node {self}: the privilege was there, and is made anew')
      // No caller is inside. Act as after a release: serve the queue, or ask for the nodes in it.
      raymond.release(node, tagging(node, here))
      for (const { from: sender, message } of early) {
        if (message.type === 'request') raymondRecovery.receive.request(node, here, message, sender)
        else raymondRecovery.receive.privilege(node, here, message, sender)
      }
    },
  },
}

/** Where the rules of `raymond` act: what they send carries the count of the channel. */
function tagging(node: State, here: Here<Message>): Here<BaseMessage> {
  return sendingThrough(here, (to, message) => {
    if (message.type === 'privilege') node.recovery.seen = message.fence
    here.send(to, { ...message, incarnation: incarnationOf(node.recovery, to) })
  })
}

function calm(): Recovery {
  return { incarnations: [], seen: 0, rebuilding: null }
}

/** Whether a message may be handled now. Otherwise it waits for the advice, or is older than a restart. */
function admits({ recovery }: State, message: Tagged, from: NodeId): boolean {
  if (recovery.rebuilding === null) return message.incarnation === incarnationOf(recovery, from)
  recovery.rebuilding.early.push({ from, message })
  return false
}

function sayWhyNot({ recovery }: State, here: Here<Message>, from: NodeId): void {
  if (recovery.rebuilding !== null)
    here.because?.('node {self} is recovering: what node {from} says must wait', { from })
  else here.because?.('what node {from} says is older than a restart, and void', { from })
}

/** The node comes back. Its own request, if it remembers one, is made again. */
function forget(node: State, self: NodeId): void {
  node.recovery = { ...calm(), rebuilding: { advice: [], early: [] } }
  node.using = false
  node.asked = false
  node.fence = null
  node.queue = node.queue.filter((waiting) => waiting === self)
}

/** What a neighbour tells a node that comes back. From here on older messages between the two are void. */
function adviceFor(node: State, who: NodeId): Advice | null {
  const { recovery } = node
  if (recovery.rebuilding !== null) return null
  const incarnation = incarnationOf(recovery, who) + 1
  const holderIsYou = node.holder === who
  setIncarnation(recovery, who, incarnation)
  // It had asked back a privilege that it sent us and that has not come. Now it has it again, and asks for nothing.
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

/**
 * Takes one ADVISE. With the last one the node has recovered, and the messages that had to wait are returned; else null.
 */
function take(
  node: State,
  { self, setup }: Pick<Here, 'self' | 'setup'>,
  advice: Advice,
  from: NodeId,
): { from: NodeId; message: Tagged }[] | null {
  const { recovery } = node
  const { rebuilding } = recovery
  if (rebuilding === null) return null
  setIncarnation(recovery, from, advice.incarnation)
  rebuilding.advice.push({ from, advice })
  if (rebuilding.advice.length < setup.topology.neighbours(self).length) return null
  rebuild(node, self, rebuilding.advice)
  recovery.rebuilding = null
  return rebuilding.early.filter(({ from: neighbour, message }) => admits(node, message, neighbour))
}

function rebuild(node: State, self: NodeId, answers: readonly { from: NodeId; advice: Advice }[]): void {
  const { recovery } = node
  const elsewhere = answers.filter(({ advice }) => !advice.holderIsYou)
  if (elsewhere.length > 1)
    impossible(`the privilege lies in ${elsewhere.length} directions from node ${self}`)
  const [holder] = elsewhere
  recovery.seen = Math.max(...answers.map(({ advice }) => advice.fence))
  node.holder = holder?.from ?? self
  node.asked = holder?.advice.queued ?? false
  // The count grows with every restart, so each leap ends above all fences of the last one.
  const restarts = Math.max(...answers.map(({ advice }) => advice.incarnation))
  node.fence = holder === undefined ? recovery.seen + restarts * LEAP : null
  node.queue = [...answers.filter(({ advice }) => advice.asked).map(({ from }) => from), ...node.queue]
}

function incarnationOf({ incarnations }: Recovery, neighbour: NodeId): number {
  return incarnations.find((entry) => entry.neighbour === neighbour)?.count ?? 0
}

function setIncarnation(recovery: Recovery, neighbour: NodeId, count: number): void {
  const others = recovery.incarnations.filter((entry) => entry.neighbour !== neighbour)
  recovery.incarnations = [...others, { neighbour, count }].toSorted((a, b) => a.neighbour - b.neighbour)
}

/**
 * Mishra and Srimani, "Fault-tolerant mutual exclusion algorithms", Journal of Systems and Software 11(2), 1990, the
 * second of the two; here after Velazquez 1993, section 4, which has one sentence on it: the control of a central
 * coordinator moves among the nodes, and at any time there is one coordinator. All rules below are our reconstruction.
 *
 * The coordinator is the node that entered last. It queues the requests that reach it. When it leaves it hands the role,
 * queue included, to the first in line, which enters. No other node is told. A node sends its request to the node it
 * believes to be the coordinator: the one to which it handed the role itself, or the first coordinator. A former
 * coordinator passes a request on to its own successor. A waiting node does not, since it will be coordinator itself.
 * Requests are numbered, and every node notes those that pass. A new coordinator queues the noted requests that were not
 * served.
 *
 * Why it is safe: there is one role, and only its holder enters. Why nobody is forgotten: each hand-over has a higher
 * view, and the successor of a former coordinator had the role under a later view. So a request never goes in a circle,
 * and ends at the coordinator or at a node that will be it. Why nobody starves: a request may chase a role that always
 * moves on, but every node that passed it on has noted it, and the queue is first come, first served.
 *
 * Assumes reliable channels between every two nodes; no order. An entry costs nothing for the coordinator, 2 messages
 * with the right belief, f+1 if the request is sent f times: at most n. The view counts the entries, and is the fence.
 *
 * Where we differ: the paper makes this algorithm fault-tolerant too, but the survey does not say how. Here the failure
 * of the coordinator stops all nodes, which is safe.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import type { Prediction } from '@turnwise/core/facts'
import { firstHolder, type Setup } from '@turnwise/core/setup'

/** What belongs to the coordinator, and moves. */
interface Role {
  /** Who waits, in order. */
  readonly queue: readonly NodeId[]
  /** For each node, the number of its request that was served last. */
  readonly served: readonly number[]
  /** Rises with every entry. */
  readonly view: number
}

export type Message =
  | { readonly type: 'request'; readonly requester: NodeId; readonly number: number }
  | { readonly type: 'coordinator'; readonly role: Role }

export interface State {
  role: Role | null
  /** The node that we believe to be the coordinator. If we are, it is this node. */
  belief: NodeId
  waiting: boolean
  using: boolean
  /** The highest request number that we have noted of each node; our own is our latest. */
  requested: number[]
}

export const mishraSrimaniCoordinator: Algorithm<State, Message> = {
  facts: {
    name: 'mishra-srimani-coordinator',
    title: 'Mishra-Srimani, moving coordinator',
    year: 1990,
    family: 'token',
    idea:
      'The node that entered last is the coordinator and queues the requests of others. On leaving it hands the ' +
      'role to the first of them. A former coordinator passes requests on to its successor.',
    sources: ['velazquez-1993 §4'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'coordinator',
    quorums: false,
    messages: {
      formula: '0 for the coordinator, 2 with the right belief, f+1 with f sends of the request',
      light: prediction,
      // It tends to 2, since a node that leaves knows its successor. But at first all nodes ask the first coordinator.
      heavy: prediction,
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: {
      role: roleShape(),
      belief: 'node',
      waiting: 'data',
      using: 'data',
      requested: { perNode: { clock: 'number', of: 'index' } },
    },
    messages: {
      request: { requester: 'node', number: { clock: 'number', of: 'requester' } },
      coordinator: { role: roleShape() },
    },
    fence: { clock: 'view', scaled: false },
  },
  tokens: {
    held: ({ role }) => (role === null ? 0 : 1),
    carried: ({ type }) => (type === 'coordinator' ? 1 : 0),
  },

  init(self, setup) {
    const first = firstHolder(setup)
    const zeros = () => Array.from({ length: setup.nodes }, () => 0)
    return {
      role: self === first ? { queue: [], served: zeros(), view: 0 } : null,
      belief: first,
      waiting: false,
      using: setup.inside.includes(self),
      requested: zeros(),
    }
  },

  request(node, here) {
    if (node.role !== null) {
      here.because?.('node {self} is the coordinator')
      return enter(node, here, node.role)
    }
    node.waiting = true
    increase(node.requested, here.self)
    here.because?.('node {self} asks node {belief}, which it believes to be the coordinator', {
      belief: node.belief,
    })
    passOn(node, here, here.self)
  },

  release(node, here) {
    node.using = false
    if (node.role === null) return impossible(`node ${here.self} is inside without the role`)
    const [next, ...queue] = node.role.queue
    if (next === undefined) return here.because?.('nobody is in line: node {self} remains the coordinator')
    here.because?.('node {next} is first in line, and takes the role over', { next })
    handOver(node, here, next, { ...node.role, queue })
  },

  receive: {
    request(node, here, { requester, number }) {
      if (number <= get(node.requested, requester))
        return here.because?.('node {self} has noted this request of node {requester} before', { requester })
      node.requested[requester] = number
      const { role } = node
      if (role === null) {
        if (node.waiting)
          return here.because?.(
            'node {self} waits, and will be coordinator: it keeps the request of node {requester}',
            { requester },
          )
        here.because?.(
          'node {self} is not the coordinator: the request of node {requester} is sent on to node {belief}',
          { requester, belief: node.belief },
        )
        passOn(node, here, requester)
      } else if (number <= get(role.served, requester) || role.queue.includes(requester))
        here.because?.('node {requester} was served, or is in line', { requester })
      else if (node.using) {
        here.because?.('the coordinator, node {self}, is inside: node {requester} gets in line', {
          requester,
        })
        node.role = { ...role, queue: [...role.queue, requester] }
      } else {
        here.because?.('node {self} is outside and needs the role no longer: node {requester} gets it', {
          requester,
        })
        handOver(node, here, requester, role)
      }
    },

    coordinator(node, here, { role }) {
      node.waiting = false
      node.belief = here.self
      const served = role.served.with(here.self, get(node.requested, here.self))
      const noted = node.requested.flatMap((number, other) =>
        number > get(served, other) && !role.queue.includes(other) ? [other] : [],
      )
      here.because?.('the role has come to node {self}, which asked for it')
      if (noted.length > 0)
        here.because?.('requests of {noted} have passed node {self}, and are not in line yet', { noted })
      enter(node, here, { ...role, served, queue: [...role.queue, ...noted] })
    },
  },
}

function enter(node: State, here: Here<Message>, role: Role): void {
  node.using = true
  node.role = { ...role, view: role.view + 1 }
  here.enter(node.role.view)
}

function handOver(node: State, here: Here<Message>, to: NodeId, role: Role): void {
  node.role = null
  node.belief = to
  here.send(to, { type: 'coordinator', role })
}

/** One step nearer to the coordinator. */
function passOn({ belief, requested }: State, here: Here<Message>, requester: NodeId): void {
  here.send(belief, { type: 'request', requester, number: get(requested, requester) })
}

function prediction({ nodes }: Setup): Prediction {
  return { min: 0, max: nodes === 1 ? 0 : nodes, mean: null }
}

function roleShape() {
  return {
    fields: {
      queue: { list: 'node' },
      served: { perNode: { clock: 'number', of: 'index' } },
      view: { clock: 'view' },
    },
  } as const
}

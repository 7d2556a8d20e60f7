/**
 * Havender, "Avoiding deadlock in multitasking systems", IBM Systems Journal 7(2), 1968: resources are asked for in one order.
 *
 * A request is for any set of R resources. Each resource has a lock of its own, here a token that Naimi and Trehel's path
 * reversal passes. A node takes the locks that it wants one after another, by their numbers, and asks for the next when it has
 * the one before. It enters when it has all, and then releases all.
 *
 * Why it is safe: each lock excludes. Why there is no deadlock: of all who wait, the one that waits for the largest number waits
 * for a node that waits for no smaller one, and at last for a node that is inside. Why nobody starves: nobody starves for any of
 * the locks, and a node that holds one gets the next.
 *
 * Assumes what Naimi and Trehel assume. An entry with k resources costs k times as much as one of theirs: H(n-1) each on
 * average, at most n each. It waits for k locks, one after the other, and holds the first while it waits for the last.
 *
 * Where we differ: Havender's order is one of several ways that he gives for tasks of one machine. Here the locks are those of
 * separate nodes. The fence is one number for all resources of an entry: before it enters, a node sets the counters of all its
 * tokens to the largest of them, so that of each resource it rises.
 */
import { type Algorithm, type Here, impossible, type NodeId, type ResourceId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { sendingThrough } from '@turnwise/core/extension'
import { harmonic, type Prediction } from '@turnwise/core/facts'
import { resourcesOf } from '@turnwise/core/resources'
import { beginsWith, type Setup } from '@turnwise/core/setup'
import { type Message as LockMessage, type State as LockState, naimiTrehel } from '../token/naimi-trehel.ts'

/** A message of one of the locks. */
export type Message = LockMessage & { readonly resource: ResourceId }

export interface State {
  /** This node's part in passing the token of each resource. */
  locks: LockState[]
  /** What this node wants, in the order in which it asks. */
  wanted: ResourceId[]
  /** How many of them it has asked for. */
  asked: number
}

export const orderedResources: Algorithm<State, Message> = {
  facts: {
    name: 'ordered-resources',
    title: 'Ordered resources',
    year: 1968,
    family: 'multi',
    idea:
      'Each resource has a lock of its own. A node that wants several takes their locks one after another, all nodes in the same ' +
      'order: so nobody who holds a late one waits for an early one, and no circle can close.',
    sources: ['havender-1968', 'naimi-trehel-1987'],
    entries: 1,
    resources: true,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'coordinator',
    quorums: false,
    messages: {
      formula: 'k H(n-1) on average for k resources, about k ln n; at most k n',
      light: (setup) => scaled(setup, naimiTrehel.facts.messages.light(setup), harmonic(setup.nodes - 1)),
      heavy: (setup) => {
        const one = naimiTrehel.facts.messages.heavy(setup)
        return scaled(setup, one, one.mean)
      },
    },
    syncDelay: {
      formula: '1 for one resource; with more, those are still to be taken that nobody holds',
      hops: ({ nodes, resources }) =>
        resources === 1 ? { min: 1, max: 1 } : { min: 0, max: Math.max(1, resources * nodes) },
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { locks: { list: { fields: naimiTrehel.shapes.state } }, wanted: 'data', asked: 'data' },
    messages: {
      request: { ...naimiTrehel.shapes.messages.request, resource: 'data' },
      token: { ...naimiTrehel.shapes.messages.token, resource: 'data' },
    },
    fence: naimiTrehel.shapes.fence,
  },
  tokens: {
    held: ({ locks }, wanted) =>
      locks.filter(({ fence }, resource) => fence !== null && (wanted ?? resource) === resource).length,
    carried: ({ type, resource }, wanted) => (type === 'token' && (wanted ?? resource) === resource ? 1 : 0),
  },

  init(self, setup) {
    const hasAtFirst = (node: NodeId) => resourcesOf({ resources: beginsWith(setup, node) })
    const wanted = setup.inside.includes(self) ? [...hasAtFirst(self)] : []
    return {
      locks: Array.from({ length: setup.resources }, (_, resource) =>
        naimiTrehel.init(self, {
          ...setup,
          inside: setup.inside.filter((node) => hasAtFirst(node).includes(resource)),
        }),
      ),
      wanted,
      asked: wanted.length,
    }
  },

  request(node, here, ask) {
    node.wanted = resourcesOf(ask).toSorted((a, b) => a - b)
    askForNext(node, here)
  },

  release(node, here) {
    const { wanted } = node
    node.wanted = []
    node.asked = 0
    for (const resource of wanted)
      withLock(node, here, resource, (lock, inner) => naimiTrehel.release(lock, inner))
  },

  receive: {
    request(node, here, request, from) {
      withLock(node, here, request.resource, (lock, inner) =>
        naimiTrehel.receive.request(lock, inner, request, from),
      )
    },

    token(node, here, token, from) {
      const { resource } = token
      const isMine = withLock(node, here, resource, (lock, inner) =>
        naimiTrehel.receive.token(lock, inner, token, from),
      )
      if (isMine) askForNext(node, here)
    },
  },
}

/** Asks for one after another, as long as the locks are granted at once. */
export function askForNext(node: State, here: Here<Message>): void {
  while (node.asked < node.wanted.length) {
    const resource = get(node.wanted, node.asked)
    node.asked += 1
    const isMine = withLock(node, here, resource, (lock, inner) =>
      naimiTrehel.request(lock, inner, { mode: 'exclusive', priority: 0 }),
    )
    if (!isMine) return
  }
  here.because?.('node {self} has all that it wants: {wanted}', { wanted: node.wanted.join(', ') })
  here.enter(commonFence(node))
}

/** The largest counter of the tokens that are held; all of them go on from there. */
function commonFence({ locks, wanted }: State): number {
  const held = wanted.map((resource) => get(locks, resource))
  const fence = Math.max(...held.map(({ fence }) => fence ?? impossible('a lock is held without its token')))
  for (const lock of held) lock.fence = fence
  return fence
}

/** Lets the rules of one lock act; true if that grants it to this node. */
function withLock(
  node: State,
  here: Here<Message>,
  resource: ResourceId,
  act: (lock: LockState, inner: Here<LockMessage>) => void,
): boolean {
  let isMine = false
  const about = { words: 'of {resource}: ', values: { resource } }
  const send = (to: NodeId, message: LockMessage) => here.send(to, { ...message, resource })
  act(get(node.locks, resource), {
    ...sendingThrough<LockMessage, object>(here, send, about),
    enter: () => {
      isMine = true
    },
  })
  return isMine
}

/** For one resource all is as it is with one lock. A request may take all there are. */
function scaled({ resources }: Setup, { min, max }: Prediction, mean: number | null): Prediction {
  return { min, max: resources * max, mean: resources === 1 ? mean : null }
}

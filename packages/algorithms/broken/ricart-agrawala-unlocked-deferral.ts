import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, type Options, ricartAgrawala, type State } from '../src/permission/ricart-agrawala.ts'

interface UnlockedState extends State {
  /** The node whose REQUEST must wait (Defer_it) and is not yet in Reply_Deferred. */
  deferring: NodeId | null
}

const algorithm: Algorithm<UnlockedState, Message, Options> = {
  ...ricartAgrawala,
  shapes: {
    ...ricartAgrawala.shapes,
    state: { ...ricartAgrawala.shapes.state, deferring: 'node' },
  },
  init: (self, setup) => ({ ...ricartAgrawala.init(self, setup), deferring: null }),

  receive: {
    ...ricartAgrawala.receive,
    request(node, here, request, from) {
      // One process receives all REQUESTs, and takes the next one only when it has done with the last.
      record(node)
      ricartAgrawala.receive.request(node, here, request, from)
      if (!node.deferred[from]) return
      // P and V enclose the decision. The node records the outcome after V.
      node.deferred[from] = false
      node.deferring = from
      here.proceed('record the deferral')
    },
  },

  proceed: (node) => record(node),
}

function record(node: UnlockedState): void {
  if (node.deferring !== null) node.deferred[node.deferring] = true
  node.deferring = null
}

export const variant: BrokenVariant = {
  algorithm: renamed('ricart-agrawala-unlocked-deferral', algorithm),
  of: 'ricart-agrawala',
  published: 'ricart-agrawala-1981 §2.2',
  fails: 'no-deadlock',
  rule:
    'The semaphore Shared_vars is held while the node decides that a REQUEST must wait. It is released before ' +
    'Reply_Deferred records it. Leaving the critical section does not use the semaphore at all.',
  failure:
    'The node leaves between the two steps. It finds no deferred reply and sends none. Then the deferral is ' +
    'recorded, too late, and the asker waits until this node has entered and left once more.',
  repair: 'Hold the semaphore until the deferral is recorded, and also while sending deferred replies.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}

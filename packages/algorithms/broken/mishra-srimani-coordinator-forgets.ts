import type { Algorithm } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import {
  type Message,
  mishraSrimaniCoordinator,
  type State,
} from '../src/token/mishra-srimani-coordinator.ts'

/** A new coordinator that knows only the queue it was handed. */
const algorithm: Algorithm<State, Message> = {
  ...mishraSrimaniCoordinator,
  receive: {
    ...mishraSrimaniCoordinator.receive,
    coordinator(node, here, message, from) {
      mishraSrimaniCoordinator.receive.coordinator(node, here, message, from)
      if (node.role !== null) node.role = { ...node.role, queue: message.role.queue }
    },
  },
}

export const variant: BrokenVariant = {
  algorithm: renamed('mishra-srimani-coordinator-forgets', algorithm),
  of: 'mishra-srimani-coordinator',
  published: null,
  fails: 'no-deadlock',
  rule: 'A new coordinator believes that the queue that comes with the role holds all requests.',
  failure:
    'The former coordinator asks again, and its request overtakes the role that it has just handed on. The ' +
    'receiver, then still waiting for the role, did not pass the request on, and now does not queue it.',
  repair: 'Append the requests noted earlier to the queue that comes with the role.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}

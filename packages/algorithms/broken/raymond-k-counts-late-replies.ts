import type { Algorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, raymondK, type State } from '../src/multi/raymond-k.ts'

/** `missing` holds, for each node, whether our current request still lacks a reply. A late reply counts for it too. */
const algorithm: Algorithm<State, Message> = {
  ...raymondK,
  request(node, here, ask) {
    node.missing = node.missing.map(() => 0)
    raymondK.request(node, here, ask)
  },
  receive: {
    ...raymondK.receive,
    reply(node, here, reply, from) {
      raymondK.receive.reply(node, here, { ...reply, count: get(node.missing, from) }, from)
    },
  },
}

export const variant: BrokenVariant = {
  algorithm: renamed('raymond-k-counts-late-replies', algorithm),
  of: 'raymond-k',
  published: null,
  fails: 'exclusion',
  rule: 'A node forgets the replies that it did not wait for, and counts every reply for the request it has made last.',
  failure:
    'A reply to an old request arrives after the node has asked again. The node takes it for the permission of a ' +
    'node that is inside, and one node too many enters.',
  repair: 'Count the replies that each node still owes over all requests, and wait until it owes none.',
  instance: { nodes: 3, requests: 2, channels: 'unordered' },
}

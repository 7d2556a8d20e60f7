import type { Here } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { timestampFence } from '@turnwise/core/timestamp'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { lamport, type Message, type Options, type State } from '../src/permission/lamport.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof lamport>('lamport-without-hearing-all', {
    ...lamport,
    request(node, here, ask) {
      lamport.request(node, here, ask)
      enterIfFirstInOwnQueue(node, here)
    },
    receive: {
      ...lamport.receive,
      release(node, here, message, from) {
        lamport.receive.release(node, here, message, from)
        enterIfFirstInOwnQueue(node, here)
      },
    },
  }),
  of: 'lamport',
  published: null,
  fails: 'exclusion',
  rule: 'A node enters when its request is first in its own queue, without waiting to hear from everyone.',
  failure: 'A request with an earlier timestamp is still on its way to it.',
  repair: 'Wait for a message with a later timestamp from all other nodes. No earlier request can follow it.',
  instance: { nodes: 2, requests: 1, channels: 'fifo' },
}

function enterIfFirstInOwnQueue(node: State, here: Here<Message, Options>): void {
  const ours = get(node.queue, here.self)
  if (node.heard === null || ours === null) return
  const isFirst = node.queue.every((time, other) => time === null || other === here.self || time > ours)
  if (!isFirst) return
  node.heard = null
  node.inside = true
  here.enter(timestampFence({ time: ours, node: here.self }, here.setup.nodes))
}

import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { join, ricartAgrawalaMedium } from '../src/permission/ricart-agrawala-medium.ts'

const { receive } = ricartAgrawalaMedium

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaMedium>('ricart-agrawala-medium-own-place', {
    ...ricartAgrawalaMedium,
    request: (node, here) => {
      here.broadcast({ type: 'request' })
      join(node, here, here.self)
    },
    receive: {
      ...receive,
      request: (node, here, message, from) => {
        if (from !== here.self) receive.request(node, here, message, from)
      },
    },
  }),
  of: 'ricart-agrawala-medium',
  published: null,
  fails: 'exclusion',
  rule: 'A node takes its place in the line when it asks, not when it hears its own request from the medium.',
  failure: 'Two nodes ask at the same time, and each is the first in its own line.',
  repair: 'Wait until the node hears its own request: only the medium knows the order.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}

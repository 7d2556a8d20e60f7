import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-readers-absorb', {
    ...tokenQueue,
    receive: {
      ...receive,
      request(node, here, request, from) {
        if (node.asked === 'shared') node.queue.push({ node: request.origin, mode: request.mode })
        else receive.request(node, here, request, from)
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node that has asked to read absorbs requests, like a node that has asked to write.',
  failure: 'It gets a copy, not the token, so the absorbed requests never come into the line.',
  repair: 'A node that has asked to read passes requests on.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', readers: 'some' },
}

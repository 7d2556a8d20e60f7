import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-readers-first', {
    ...tokenQueue,
    receive: {
      ...receive,
      request(node, here, request, from) {
        const { origin: reader, mode } = request
        const { fence, missing } = node
        if (fence === null || missing === 0 || mode === 'exclusive') {
          return receive.request(node, here, request, from)
        }
        node.copies ??= Array.from({ length: here.setup.nodes }, () => false)
        node.copies[reader] = true
        here.send(reader, { type: 'copy', fence: fence + 1 })
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: 'Readers that ask while a writer collects copies get a copy at once.',
  failure: 'The writer collects the new copies too, while others are given out. It never has all.',
  repair: 'Give out no copy while another is missing.',
  instance: { nodes: 2, requests: 'any', channels: 'unordered', readers: 'some' },
}

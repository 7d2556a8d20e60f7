import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-same-fence', {
    ...tokenQueue,
    receive: {
      ...receive,
      copy: (node, here, copy, from) => receive.copy(node, here, { ...copy, fence: copy.fence - 1 }, from),
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'fences-rise',
  rule: 'Readers get the fence of the last writer.',
  failure: 'A resource that has seen the writer cannot tell it from the readers after it, and accepts both.',
  repair: 'Writers add two, and readers have the number between.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some' },
}

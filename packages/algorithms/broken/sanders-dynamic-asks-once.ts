import { precedes } from '@turnwise/core/timestamp'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { grant, sandersDynamic } from '../src/quorum/sanders-dynamic.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof sandersDynamic>('sanders-dynamic-asks-once', {
    ...sandersDynamic,
    receive: {
      ...sandersDynamic.receive,
      request(node, here, message, from) {
        const { time, request } = node
        const isSmaller =
          time !== null && precedes({ time: message.time, node: from }, { time, node: here.self })
        if (!isSmaller || request[from]) return sandersDynamic.receive.request(node, here, message, from)
        // The request set has grown, but REQUESTs are sent by the entry code only.
        grant(node, here, from)
      },
    },
  }),
  of: 'sanders-dynamic',
  published: 'sanders-1987 §8',
  fails: 'no-deadlock',
  rule: 'When a GRANT is sent to a process, it is added to the request set; who waits already has sent its REQUESTs.',
  failure:
    'A node that waits gives its permission to a smaller timestamp, waits for it back, and has not asked.',
  repair: 'Ask whoever joins the request set while we wait, with the old timestamp.',
  instance: { nodes: 3, requests: 2, channels: 'fifo' },
}

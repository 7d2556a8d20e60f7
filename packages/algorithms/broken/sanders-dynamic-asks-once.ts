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
        // The request set has grown, but only the entry code sends REQUESTs.
        grant(node, here, from)
      },
    },
  }),
  of: 'sanders-dynamic',
  published: 'sanders-1987 §8',
  fails: 'no-deadlock',
  rule:
    'A node that GRANTs to a process adds it to its request set. If it already waits, it has sent its REQUESTs. The ' +
    'section says how the sets change, and not that a waiting node asks again.',
  failure: 'A waiting node grants to a smaller timestamp, and waits for a permission it has not asked for.',
  repair: 'While waiting, ask every process that joins the request set, with the old timestamp.',
  instance: { nodes: 3, requests: 2, channels: 'fifo' },
}

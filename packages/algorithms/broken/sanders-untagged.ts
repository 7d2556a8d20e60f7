import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { sanders } from '../src/quorum/sanders.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof sanders>('sanders-untagged', {
    ...sanders,
    receive: {
      ...sanders.receive,
      inquire(node, here, message, from) {
        const { ours } = node
        if (ours === null || ours.inside) return
        // The node takes the INQUIRE to be about its current request. If it has a FAIL, it revokes the grant and
        // says so, without checking that it has that grant.
        if (ours.refused.length === 0 || from === here.self)
          return sanders.receive.inquire(node, here, { ...message, time: ours.time }, from)
        ours.grants = ours.grants.filter((arbiter) => arbiter !== from)
        ours.refused = [...ours.refused.filter((arbiter) => arbiter !== from), from].toSorted((a, b) => a - b)
        here.send(from, { type: 'yield', time: ours.time })
      },
      yield(node, here, message, from) {
        // CSSTAT is marked free, even if another node has our grant, and the sender goes back into the queue.
        node.queue = node.queue.filter((queued) => queued.node !== from)
        node.granted = { time: message.time, node: from }
        sanders.receive.yield(node, here, message, from)
      },
    },
  }),
  of: 'sanders',
  published: 'sanders-1987 §5',
  fails: 'exclusion',
  rule: 'INQUIRE and YIELD do not say which request they are about.',
  failure:
    'An INQUIRE crosses the RELEASE, and the node answers it for its next request. The YIELD frees the arbiter ' +
    'while another node has its grant.',
  repair: 'Every message names the request it belongs to. A node ignores a message about another request.',
  instance: { nodes: 3, requests: 2, channels: 'fifo', structure: '0.1.2/1/1.2:0.1.2/1/1.2' },
}

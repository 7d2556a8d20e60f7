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
        // Whatever we ask for now is taken to be what the question is about. Whoever has a FAIL revokes the grant
        // and says so; whether it has that grant is not asked.
        if (ours.refused.length === 0 || from === here.self)
          return sanders.receive.inquire(node, here, { ...message, time: ours.time }, from)
        ours.grants = ours.grants.filter((arbiter) => arbiter !== from)
        ours.refused = [...ours.refused.filter((arbiter) => arbiter !== from), from].toSorted((a, b) => a - b)
        here.send(from, { type: 'yield', time: ours.time })
      },
      yield(node, here, message, from) {
        // CSSTAT is marked free, whoever has our grant, and the sender is put back into the queue.
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
    'An INQUIRE crosses the RELEASE and is answered by the next request of the same node; the YIELD frees the ' +
    'arbiter while somebody else has its grant.',
  repair: 'Every message names the request it belongs to; what belongs to another is ignored.',
  instance: { nodes: 3, requests: 2, channels: 'fifo', structure: '0.1.2/1/1.2:0.1.2/1/1.2' },
}

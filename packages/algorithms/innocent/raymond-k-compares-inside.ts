import { increase } from '@turnwise/core/bounds'
import { precedes } from '@turnwise/core/timestamp'
import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { raymondK } from '../src/multi/raymond-k.ts'

export const variant: InnocentVariant = {
  name: 'raymond-k-compares-inside',
  algorithm: renamed<typeof raymondK>('raymond-k-compares-inside', {
    ...raymondK,
    receive: {
      ...raymondK.receive,
      request(node, here, { number }, from) {
        node.highest = Math.max(node.highest, number)
        const { ours } = node
        const isOursFirst =
          ours !== null && precedes({ time: ours, node: here.self }, { time: number, node: from })
        if (isOursFirst) increase(node.deferred, from)
        else here.send(from, { type: 'reply', count: 1 })
      },
    },
  }),
  of: 'raymond-k',
  published: 'ricart-agrawala-1981 §2.2, which velazquez-1993 §6 extends to k entries',
  rule: 'A node inside compares numbers, like a waiting node, instead of deferring every request.',
  suspicion:
    'With k entries the nodes inside need not have the smallest numbers, so one of them replies to a smaller ' +
    'number while inside.',
  harmless:
    'It does, and may. Suppose k+1 nodes are inside. Then one of them has replied to the one with the largest ' +
    'number. But a node that replies to a number has a larger number itself, or will have one.',
}

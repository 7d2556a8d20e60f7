import { precedes } from '@turnwise/core/timestamp'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { carvalhoRoucairol } from '../src/permission/carvalho-roucairol.ts'
import { pairwiseRules } from '../src/permission/pairwise.ts'

const rules = pairwiseRules({
  startsWith: () => false,
  defers: ({ ours }, { self }, asked) => ours !== null && precedes({ time: ours, node: self }, asked),
})

export const variant: BrokenVariant = {
  algorithm: renamed<typeof carvalhoRoucairol>('carvalho-roucairol-compares-inside', {
    ...carvalhoRoucairol,
    ...rules,
    request(node, here, ask) {
      rules.request(node, here, ask)
      if (node.ours !== null) return
      node.highest += 1
      node.ours = node.highest
    },
    release(node, here) {
      node.ours = null
      rules.release(node, here)
    },
    receive: {
      ...rules.receive,
      reply(node, here, reply, from) {
        const { ours } = node
        rules.receive.reply(node, here, reply, from)
        node.ours = ours
      },
    },
  }),
  of: 'carvalho-roucairol',
  published: null,
  fails: 'exclusion',
  rule:
    'A node that is inside compares numbers, like a waiting node. For Ricart and Agrawala (1981, section 2) this ' +
    'changes nothing, since there the node inside has the smallest number.',
  failure:
    'A node that enters with the permissions it has kept may have a larger number than a request that is still ' +
    'under way to it. It replies to that request from inside.',
  repair: 'Inside, defer every request, whatever its number.',
  instance: { nodes: 2, requests: 2, channels: 'fifo' },
}

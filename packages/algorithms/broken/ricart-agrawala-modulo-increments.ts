import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaModulo } from '../src/permission/ricart-agrawala-modulo.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaModulo>('ricart-agrawala-modulo-increments', {
    ...ricartAgrawalaModulo,
    request(node, here, ask) {
      const modulus = 2 * here.setup.nodes - 1
      // Odd nodes have the low priority of section 6.5: they raise the number by two.
      if (here.self % 2 === 1) node.highest = (node.highest + 1) % modulus
      ricartAgrawalaModulo.request(node, here, ask)
    },
  }),
  of: 'ricart-agrawala-modulo',
  published: null,
  fails: 'exclusion',
  rule: 'Numbers are stored modulo 2n-1 as in section 6.4, and some nodes raise them by more than one as in section 6.5.',
  failure:
    'Numbers in use at the same time are then more than n apart, and nodes read the later one as the earlier. ' +
    'Section 6.5 says so in half a sentence. There is no other reason for unit steps.',
  repair: 'Let all increments be one, or multiply the modulus by the largest increment.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}

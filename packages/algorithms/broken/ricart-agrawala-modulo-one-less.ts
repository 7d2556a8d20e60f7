import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaModulo } from '../src/permission/ricart-agrawala-modulo.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaModulo>('ricart-agrawala-modulo-one-less', {
    ...ricartAgrawalaModulo,
    request(node, here, ask) {
      const setup = { ...here.setup, options: { modulus: 2 * here.setup.nodes - 2 } }
      ricartAgrawalaModulo.request(node, { ...here, setup }, ask)
    },
  }),
  of: 'ricart-agrawala-modulo',
  published: null,
  fails: 'exclusion',
  rule: 'Numbers are stored modulo 2n-2.',
  failure: 'The latest and the earliest number in use can both be n-1 away, and cannot be told apart.',
  repair: 'Use a modulus of at least 2n-1 (section 6.4).',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}

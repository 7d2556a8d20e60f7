import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawala } from '../src/permission/ricart-agrawala.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawala>('ricart-agrawala-printed', {
    ...ricartAgrawala,
    request(node, here, ask) {
      const { highest } = node
      ricartAgrawala.request(node, here, ask)
      node.highest = highest
    },
  }),
  of: 'ricart-agrawala',
  published: 'ricart-agrawala-1981 §2.2',
  fails: 'fences-rise',
  rule:
    'The highest sequence number is described as the highest sent or received, but the code records only numbers ' +
    'received.',
  failure:
    'A node that nobody else asks uses the same number again and again. Exclusion still holds. But numbers do not ' +
    "tell entries apart, the appendix's bound on overtaking is lost on unordered channels, and numbers modulo M " +
    '(section 6.4) become unsafe.',
  repair: 'Record the number of the own request too.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}

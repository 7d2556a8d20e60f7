import type { InnocentVariant } from '../src/innocent-variant.ts'
import { raynalPrimeModified } from '../src/permission/raynal-prime-modified.ts'

export const variant: InnocentVariant = {
  name: 'raynal-prime-modified-without-versions',
  algorithm: raynalPrimeModified,
  of: 'raynal-prime-modified',
  published: 'velazquez-1993 §5',
  rule: 'An INFORM carries the value X of its sender and nothing that tells it from an older one; channels need no order.',
  suspicion: 'An older INFORM that arrives after a newer one of the same node would put its old X back.',
  harmless:
    'There is never more than one under way between two nodes: before a node has its next turn all others have had ' +
    'theirs, and for that each must have heard of its last.',
}

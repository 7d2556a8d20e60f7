import type { InnocentVariant } from '../src/innocent-variant.ts'
import { raynalPrimeModified } from '../src/permission/raynal-prime-modified.ts'

export const variant: InnocentVariant = {
  name: 'raynal-prime-modified-without-versions',
  algorithm: raynalPrimeModified,
  of: 'raynal-prime-modified',
  published: 'velazquez-1993 §5',
  rule: 'An INFORM carries the value X of its sender, and nothing that tells it from an older one. Channels need no order.',
  suspicion: 'An older INFORM that arrives after a newer one of the same node would restore the old X.',
  harmless:
    'At most one INFORM is under way between two nodes. Before a node has its next turn, all others have had ' +
    'theirs, and for that each must have heard of the last turn.',
}

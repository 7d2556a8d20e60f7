import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { sanders } from '../src/quorum/sanders.ts'

export const variant: InnocentVariant = {
  name: 'sanders-grants-itself-first',
  algorithm: renamed<typeof sanders>('sanders-grants-itself-first', {
    ...sanders,
    options: { ...sanders.options, own: { ...sanders.options.own, default: 'first' } },
  }),
  of: 'sanders',
  published: 'sanders-1987 §4, 5',
  rule: 'A node that asks itself grants itself at once.',
  suspicion:
    'The proof of section 4 lets a waiting node grant to a smaller timestamp at once. A node that holds its own ' +
    'grant does not. Without the rules of section 5 that is a deadlock (sanders-base).',
  harmless:
    'With FAIL, INQUIRE and YIELD it asks itself to yield, and then grants: later, but always. This costs FAILs ' +
    'that a node need not send if it grants to itself last.',
}

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
    'The proof of section 4 has a node that waits grant to a smaller timestamp immediately, which one that has its own ' +
    'grant does not; without the rules of section 5 that is a deadlock (sanders-base).',
  harmless:
    'With FAIL, INQUIRE and YIELD it asks itself to yield, and grants then: later, but always. It costs FAILs that a ' +
    'node which grants to itself last need not send.',
}

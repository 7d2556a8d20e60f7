import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { productOf } from '../src/permission/prime-product.ts'
import { raynalPrimeModified, turnRules } from '../src/permission/raynal-prime-modified.ts'

export const variant: BrokenVariant = {
  algorithm: renamed('raynal-prime-modified-without-own-term', {
    ...raynalPrimeModified,
    ...turnRules((turns, first, self) =>
      productOf(
        turns.map((taken, node) => (node === self ? null : taken)),
        first,
      ),
    ),
  }),
  of: 'raynal-prime-modified',
  published: 'velazquez-1993 §5, of the product T',
  fails: 'no-deadlock',
  rule: 'A node multiplies the values X that it has received, but not its own.',
  failure:
    'The first node, whose own value was 1, finds itself named for ever, whatever its own value has become. Every ' +
    'other node lacks its own factor and is never named, so it waits although it has the turn.',
  repair: 'Multiply by the own value too.',
  instance: { nodes: 2, requests: 1, channels: 'fifo' },
}

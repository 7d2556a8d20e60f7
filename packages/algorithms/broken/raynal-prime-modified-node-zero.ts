import type { NodeId } from '@turnwise/core/algorithm'
import { increase } from '@turnwise/core/bounds'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { raynalPrimeModified, turnRules } from '../src/permission/raynal-prime-modified.ts'

/** With nodes 1 to N (here 0 to N-1) the successor (i+1) mod N of node N-1 is 0, which is no node. */
function productByModulus(turns: readonly number[], first: NodeId): number[] {
  const exponents = turns.map((taken, node) => (node === first ? 0 : 1) + taken)
  turns.forEach((taken, node) => {
    const successor = ((node + 2) % turns.length) - 1
    if (successor >= 0) increase(exponents, successor, -taken)
  })
  return exponents
}

export const variant: BrokenVariant = {
  algorithm: renamed('raynal-prime-modified-node-zero', {
    ...raynalPrimeModified,
    ...turnRules(productByModulus),
  }),
  of: 'raynal-prime-modified',
  published: 'velazquez-1993 §5, with the numbers of §2.1',
  fails: 'no-deadlock',
  rule: 'The turn goes from node i to node (i+1) mod N, where nodes are numbered from 1 to N, as section 2.1 says.',
  failure: 'Node N-1 gives it to node 0, which does not exist. The turn is lost, and node N never had it.',
  repair: 'Let the successor of node N be node 1, and that of every other node i be i+1. Or count from 0.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}

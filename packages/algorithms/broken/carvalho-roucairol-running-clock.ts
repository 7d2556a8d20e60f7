import { precedes } from '@turnwise/core/timestamp'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { carvalhoRoucairol } from '../src/permission/carvalho-roucairol.ts'
import { pairwiseRules } from '../src/permission/pairwise.ts'

export const variant: BrokenVariant = {
  algorithm: renamed('carvalho-roucairol-running-clock', {
    ...carvalhoRoucairol,
    ...pairwiseRules({
      startsWith: () => false,
      defers: ({ mode, ours, highest }, { self }, asked) =>
        mode !== null && (ours === null || precedes({ time: highest, node: self }, asked)),
    }),
  }),
  of: 'carvalho-roucairol',
  published: null,
  fails: 'exclusion',
  rule: 'A waiting node compares a request with its clock, which other requests have raised, instead of its own number.',
  failure:
    'Its priority sinks with every request it hears of. It replies to a request that it should defer, from a node ' +
    'that has already replied to it. Now each has the other’s permission. Ordered channels do not help if a third ' +
    'node raises the clock.',
  repair: 'Keep the number of the own request in a separate variable, and compare with that.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}

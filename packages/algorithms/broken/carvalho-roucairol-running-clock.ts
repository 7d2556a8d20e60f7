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
  rule: 'A node that waits compares a request with its clock, which other requests have raised, not with its own number.',
  failure:
    'Its priority sinks with every request that it hears of. It answers one that it should defer, from a node that ' +
    'has answered it already: both have each other’s permission. Channels that keep order do not help, where a third ' +
    'node raises the clock.',
  repair: 'Keep the number of the own request in a variable of its own, and compare with that.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}

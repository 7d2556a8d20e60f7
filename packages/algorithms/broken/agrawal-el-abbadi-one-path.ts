import { hungUp, treeQuorum } from '@turnwise/core/quorum/rooted-tree'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { agrawalElAbbadi } from '../src/quorum/agrawal-el-abbadi.ts'
import { type SubstitutionOptions, substitutionRules } from '../src/quorum/substitution.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof agrawalElAbbadi>('agrawal-el-abbadi-one-path', {
    ...agrawalElAbbadi,
    ...substitutionRules<SubstitutionOptions>({
      without: ({ topology, home }, down, node, asked) =>
        treeQuorum(hungUp(topology, home), node, down, asked),
      // If every inner node can be skipped, only the leaf of a path is left.
      enough: ({ topology, home }, granted) =>
        granted.some((node) => hungUp(topology, home).children(node).length === 0),
    }),
  }),
  of: 'agrawal-el-abbadi',
  published: null,
  fails: 'exclusion',
  rule: 'A node that does not grant is replaced by a path from one of its children.',
  failure: 'One node skips the root and takes the left path, another the right. They share no node.',
  repair: 'Take a path from every child.',
  instance: { nodes: 3, requests: 1, channels: 'fifo' },
}

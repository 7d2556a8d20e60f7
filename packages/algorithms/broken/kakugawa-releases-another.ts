import type { Algorithm } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { kakugawa, type Options } from '../src/multi/kakugawa.ts'
import type { ArbiterMessage, ArbiterState } from '../src/quorum/arbiter-state.ts'

/** The release draws a quorum of its own. In Maekawa's algorithm that is right, since a node has only one quorum. */
const algorithm: Algorithm<ArbiterState, ArbiterMessage, Options> = {
  ...kakugawa,
  release(node, here) {
    const { quorums, options } = here.setup
    const asked = quorums?.choice?.draw(here.self, options.draw, (bound) => here.random(bound)) ?? []
    if (node.ours !== null) node.ours = { ...node.ours, asked }
    kakugawa.release(node, here)
  },
}

export const variant: BrokenVariant = {
  algorithm: renamed('kakugawa-releases-another', algorithm),
  of: 'kakugawa',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node sends its release to the quorum that it would ask now, not to the one that has granted.',
  failure: 'An arbiter that granted never hears the release, and never grants to another node.',
  repair: 'Remember the quorum of the request until it is released.',
  instance: { nodes: 4, requests: 1, channels: 'unordered', k: 2, quorum: 'k-majority' },
}

/** The right text of the exercise on Sanders' information structures. */
export const STRUCTURE_TEXT = `/**
 * An information structure for three nodes, after Sanders, "The information structure of distributed mutual exclusion
 * algorithms", ACM TOCS 5(3), 1987.
 *
 * Before it enters, node i asks the nodes of REQUEST[i]; when it has left, it tells those of INFORM[i]. The rules
 * are the same for every structure; only the sets are yours.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { arbiterRules } from '@turnwise/algorithms/quorum/arbiter'
import {
  ARBITER_SHAPES,
  type ArbiterMessage,
  type ArbiterState,
} from '@turnwise/algorithms/quorum/arbiter-state'

const INFORM = [
  [0, 2],
  [1, 2],
  [2],
]

const REQUEST = [
  [0, 2],
  [1, 2],
  [2],
]

export const structure: Algorithm<ArbiterState, ArbiterMessage> = {
  facts: {
    name: 'structure',
    title: 'An information structure',
    year: 1987,
    family: 'quorum',
    idea: 'Ask the nodes of a request set; when you have left, tell the nodes of an inform set.',
    sources: ['sanders-1987 §3'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: { formula: '|I| + 2|R|', light: () => exactly(0), heavy: () => exactly(0) },
    syncDelay: { formula: '1 to 2', hops: () => ({ min: 1, max: 2 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    ...ARBITER_SHAPES,
    messages: {
      ...ARBITER_SHAPES.messages,
      grant: { ...ARBITER_SHAPES.messages.grant, clock: { clock: 'time' } },
    },
  },
  ...arbiterRules<object>(
    () => 'all',
    {
      of: (_setup, requester) => REQUEST[requester] ?? [],
      enough: (_setup, granted, _node, asked) => granted.length === asked.length,
    },
    {
      tells: (_setup, requester) => INFORM[requester] ?? [],
      remembers: (_setup, arbiter, requester) => (INFORM[requester] ?? []).includes(arbiter),
      ownGrant: () => 'last',
      withGrant: ({ clock }) => ({ clock }),
      withRequest: () => ({}),
      failHelps: () => true,
      inquireHelps: () => true,
    },
  ),
}
`

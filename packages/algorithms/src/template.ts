/**
 * AUTHORS, "TITLE", JOURNAL VOLUME(NUMBER), YEAR, sections N to M.
 *
 * The idea in three or four sentences, for a reader who has never seen it.
 *
 * Why it is safe: one or two sentences. Why nobody starves: one more.
 *
 * Assumptions about channels, topology and failures. The cost per entry.
 *
 * Where we differ: each repair of a published rule, and why. The rule as published goes to `broken/`.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'

export type Message =
  /** Messages in the paper's words, each with what it means. */
  { readonly type: 'request' }

export interface State {
  /** Plain data, each field with the paper's variable. Reset a field when it has lost its meaning. */
  inside: boolean
}

/** A start that compiles and is honest: it lets the node in only when it is alone. */
export const template: Algorithm<State, Message> = {
  facts: {
    name: 'template',
    title: 'Template',
    year: 1978,
    family: 'permission',
    idea: 'Two or three sentences that say how a node gets in and why no other is inside then.',
    sources: ['author-year §section'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: { formula: '0', light: () => exactly(0), heavy: () => exactly(0) },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { inside: 'data' },
    messages: { request: {} },
    fence: { clock: 'fence', scaled: false },
  },

  init(self, { inside }) {
    return { inside: inside.includes(self) }
  },

  request(node, here) {
    if (here.setup.nodes > 1) return here.because?.('node {self} has no rule yet by which it could enter')
    here.because?.('node {self} is alone')
    node.inside = true
    here.enter(1)
  },

  release(node, here) {
    here.because?.('node {self} has left, and nobody else waits')
    node.inside = false
  },

  receive: {
    request() {
      // One handler per type of message: a missing one does not compile.
    },
  },
}

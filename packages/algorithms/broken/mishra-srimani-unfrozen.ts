import type { Algorithm } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, mishraSrimani, type Options, type State } from '../src/token/mishra-srimani.ts'

/** As the survey has it: a node that said NO_CRIT still uses a token that comes. An alarm may be false, at any moment. */
const algorithm: Algorithm<State, Message, Options> = {
  ...mishraSrimani,
  facts: { ...mishraSrimani.facts, timers: { ...mishraSrimani.facts.timers, T: 'pace' } },
  receive: {
    ...mishraSrimani.receive,
    privilege(node, here, message, from) {
      node.following.fill(null)
      mishraSrimani.receive.privilege(node, here, message, from)
    },
  },
}

export const variant: BrokenVariant = {
  algorithm: renamed('mishra-srimani-unfrozen', algorithm),
  of: 'mishra-srimani',
  published: 'velazquez-1993 §4',
  fails: 'exclusion',
  rule: 'A node that has said that it does not have the token goes on as before. The survey asks nothing more of it.',
  failure:
    'The token was not lost but under way to that node, which enters with it. The initiator has heard from every ' +
    'node that it does not have the token, so it makes a new one and enters too.',
  repair:
    'Freeze a node that has answered NO_CRIT: it parks a token that comes, says so, and uses it when the check has ' +
    'ended in a false alarm.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', set: ['T=1'] },
}

import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'

const { receive, facts } = ricartAgrawalaMembership

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaMembership>('ricart-agrawala-membership-probe-without-number', {
    ...ricartAgrawalaMembership,
    // A probe of a living node should do no harm, whenever it is sent.
    facts: { ...facts, timers: { ...facts.timers, answer: 'pace' } },
    receive: {
      ...receive,
      'are-you-there'(node, here, { number }, from) {
        const isDeferred = node.deferred.some(({ node: waiting }) => waiting === from)
        here.send(from, isDeferred ? { type: 'yes-i-am-here' } : { type: 'reply', number })
      },
    },
  }),
  of: 'ricart-agrawala-membership',
  published: 'ricart-agrawala-1981 §7.4',
  fails: 'exclusion',
  rule:
    'A probe names the asker but not its number. The probed node answers REPLY unless it has deferred a reply to ' +
    'it.',
  failure:
    'The request was lost, or is still under way. The probed node is inside and has deferred nothing, so it replies, ' +
    'and both are inside.',
  repair: 'The probe carries the number, and counts as the request: YES_I_AM_HERE if it has to wait.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', set: ['wait=1'] },
}

import { get } from '@turnwise/core/bounds'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { hear, pass, ricartAgrawalaToken } from '../src/token/ricart-agrawala-token.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaToken>('ricart-agrawala-token-untested', {
    ...ricartAgrawalaToken,
    receive: {
      request(node, here, { stamp }, from) {
        hear(node, here, stamp, from)
        if (node.token !== null && !node.using) pass(node, here, node.token, from)
      },
      token(node, here, message, from) {
        // The survey does not say what a node does with a token it did not ask for. The best it can do is keep it.
        if (node.clock > get(message.token.served, here.self)) {
          ricartAgrawalaToken.receive.token(node, here, message, from)
        } else node.token = message.token
      },
    },
  }),
  of: 'ricart-agrawala-token',
  published: 'velazquez-1993 §4',
  fails: 'no-deadlock',
  rule: 'A node that holds the token and is not inside sends it to the sender of any request, without looking at the token.',
  failure:
    'A request that another node has served comes late, and moves the idle token to a node that does not wait. ' +
    'That node has already recorded the request of a third node, which waits beside an idle token.',
  repair: 'Send an idle token only if the request is later than the last served one that the token records.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}

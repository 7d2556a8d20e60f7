import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaToken } from '../src/token/ricart-agrawala-token.ts'

const { stamps } = ricartAgrawalaToken.options

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaToken>('ricart-agrawala-token-without-tick', {
    ...ricartAgrawalaToken,
    options: { stamps: { ...stamps, default: 'clock' } },
    request(node, here, ask) {
      if (node.token !== null) return ricartAgrawalaToken.request(node, here, ask)
      here.sendToOthers({ type: 'request', stamp: node.clock })
    },
  }),
  of: 'ricart-agrawala-token',
  published: null,
  fails: 'no-deadlock',
  rule: 'The logical clock stamps a request, and also the turn of a node in the token. It does not tick before a request.',
  failure:
    'A request with the same stamp as the last turn is not later, so it counts as served. The very first request ' +
    'has stamp 0, where the token starts.',
  repair: 'Let the clock tick before every request.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}

import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { helaryPlouzeauRaynalRegeneration } from '../src/token/helary-plouzeau-raynal-regeneration.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof helaryPlouzeauRaynalRegeneration>('helary-plouzeau-raynal-void-token', {
    ...helaryPlouzeauRaynalRegeneration,
    receive: {
      ...helaryPlouzeauRaynalRegeneration.receive,
      token(node, here, token, from) {
        const { generation } = node.regeneration
        helaryPlouzeauRaynalRegeneration.receive.token(node, here, { ...token, generation }, from)
      },
    },
  }),
  of: 'helary-plouzeau-raynal-regeneration',
  published: null,
  fails: 'one-token',
  rule: 'The survivors elect one that makes a new token if nobody has the old one; tokens are all alike.',
  failure:
    'The old token was still under way to a survivor when that one said it had none, and now there are two.',
  repair:
    'Tokens carry the generation of their election: whoever has taken part in a later one accepts none of before.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', crashes: 1 },
}

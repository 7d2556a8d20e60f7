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
  rule: 'The survivors elect a process that makes a new token if none of them has the old one. All tokens are alike.',
  failure: 'The old token was still under way to a survivor that said it had none. Now there are two.',
  repair: 'A token carries the generation of its election. Participants of a later election reject it.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', crashes: 1 },
}

import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { helaryPlouzeauRaynal } from '../src/token/helary-plouzeau-raynal.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof helaryPlouzeauRaynal>('helary-plouzeau-raynal-void-token', {
    ...helaryPlouzeauRaynal,
    receive: {
      ...helaryPlouzeauRaynal.receive,
      token(node, here, token, from) {
        const { generation = token.generation } = node.regeneration ?? {}
        helaryPlouzeauRaynal.receive.token(
          node,
          here,
          { ...token, ...(generation === undefined ? {} : { generation }) },
          from,
        )
      },
    },
  }),
  of: 'helary-plouzeau-raynal',
  published: null,
  fails: 'one-token',
  rule: 'The survivors elect one that makes a new token if nobody has the old one; tokens are all alike.',
  failure:
    'The old token was still under way to a survivor when that one said it had none, and now there are two.',
  repair:
    'Tokens carry the generation of their election: whoever has taken part in a later one accepts none of before.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', set: ['regeneration=true'], crashes: 1 },
}

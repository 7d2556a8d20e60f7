import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { naimiTrehelRecovery } from '../src/token/naimi-trehel-recovery.ts'

const { receive, facts } = naimiTrehelRecovery

export const variant: BrokenVariant = {
  algorithm: renamed<typeof naimiTrehelRecovery>('naimi-trehel-recovery-unrequested-token', {
    ...naimiTrehelRecovery,
    // A node may presume a failure wrongly at any moment; that must cost messages and nothing else.
    facts: { ...facts, timers: { ...facts.timers, waiting: 'pace', consulting: 'pace' } },
    receive: {
      ...receive,
      token(node, here, token, from) {
        if (node.requesting) return receive.token(node, here, token, from)
        here.enter(token.fence + 1)
      },
    },
  }),
  of: 'naimi-trehel-recovery',
  published: null,
  fails: 'rules',
  rule:
    'A node that receives the token enters. In the algorithm of Naimi and Trehel that is right: there a node gets the token only if ' +
    'it asked. The survey (Velazquez 1993, section 4) knows no other case.',
  failure:
    'A node that presumed a failure too early asks again. Its first request was only slow, and now both are ' +
    'served. The second time the token comes, nobody there has asked.',
  repair: 'A node keeps a token that it did not ask for, idle, and is the root.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}

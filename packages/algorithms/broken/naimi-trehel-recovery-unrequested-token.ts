import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { naimiTrehelRecovery } from '../src/token/naimi-trehel-recovery.ts'

const { receive, facts } = naimiTrehelRecovery

export const variant: BrokenVariant = {
  algorithm: renamed<typeof naimiTrehelRecovery>('naimi-trehel-recovery-unrequested-token', {
    ...naimiTrehelRecovery,
    // A presumption may be wrong at any moment, and nothing but messages comes of it.
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
    'A node that receives the token enters, as in `naimi-trehel`, where nobody receives it unasked (the survey, ' +
    'Velazquez 1993, section 4, knows no other case).',
  failure:
    'A node that presumed a failure too early asks again. Its first request, only slow, is served a second time: ' +
    'the token comes, and nobody there has asked.',
  repair: 'A token that comes unasked is kept, idle, and its receiver is the root.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}

import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { helaryPlouzeauRaynalReconfiguration } from '../src/token/helary-plouzeau-raynal-reconfiguration.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof helaryPlouzeauRaynalReconfiguration>('helary-plouzeau-raynal-lost-request', {
    ...helaryPlouzeauRaynalReconfiguration,
    undelivered(node, here, to, message) {
      if (message.type !== 'request')
        helaryPlouzeauRaynalReconfiguration.undelivered?.(node, here, to, message)
    },
  }),
  of: 'helary-plouzeau-raynal-reconfiguration',
  published: 'helary-plouzeau-raynal-1988 §7.1.1',
  fails: 'no-deadlock',
  rule: 'While the network stays connected, a broadcast completes by itself, whichever channel fails.',
  failure:
    'The request is lost on the channel that fails. The other processes were told that its receiver is about to ' +
    'get it, so none of them sends it there. The owner of the token never hears of it.',
  repair:
    'A process that is told of such a loss calls the origin, which broadcasts again. In this second wave every ' +
    'process sends to all its neighbours.',
  instance: {
    nodes: 3,
    requests: 1,
    channels: 'unordered',
    unlinks: 1,
  },
}

import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { recoveryRules, sandersRecovery } from '../src/quorum/sanders-recovery.ts'

export const variant: BrokenVariant = {
  algorithm: renamed('sanders-recovery-published', { ...sandersRecovery, ...recoveryRules('published') }),
  of: 'sanders-recovery',
  published: 'sanders-1987 §7.1',
  fails: 'exclusion',
  rule: 'After a failure, a node that waits for a GRANT of the failed node asks the nodes it must now ask directly.',
  failure:
    'A node that already has the GRANT of the failed node asks no other node. It grants to a smaller timestamp ' +
    'without recording that, and enters beside it.',
  repair:
    'Ask the new members whether or not the GRANT had arrived. Let messages carry the failures their sender knows ' +
    'of, and ignore earlier grants.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', structure: 'central:2', crashes: 1 },
}

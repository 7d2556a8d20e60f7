import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { recoveryRules, sandersRecovery } from '../src/quorum/sanders-recovery.ts'

export const variant: BrokenVariant = {
  algorithm: renamed('sanders-recovery-published', { ...sandersRecovery, ...recoveryRules('published') }),
  of: 'sanders-recovery',
  published: 'sanders-1987 §7.1',
  fails: 'exclusion',
  rule: 'On a failure, a node that waits for a GRANT of the failed node asks those it must now ask directly.',
  failure:
    'A node that has the GRANT of the failed node asks nobody anew, grants to a smaller timestamp without keeping ' +
    'it in mind, and enters beside it.',
  repair:
    'Ask the new members whether the GRANT was there or not, let messages carry who has failed, and ignore what ' +
    'was granted before.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', structure: 'maekawa' },
}

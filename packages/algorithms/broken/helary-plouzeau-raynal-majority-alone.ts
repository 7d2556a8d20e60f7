import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { isMajority, regenerate } from '../src/token/helary-plouzeau-raynal-election.ts'
import { helaryPlouzeauRaynalRegeneration } from '../src/token/helary-plouzeau-raynal-regeneration.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof helaryPlouzeauRaynalRegeneration>('helary-plouzeau-raynal-majority-alone', {
    ...helaryPlouzeauRaynalRegeneration,
    receive: {
      ...helaryPlouzeauRaynalRegeneration.receive,
      support(node, here, support, from) {
        helaryPlouzeauRaynalRegeneration.receive.support(node, here, support, from)
        const { election } = node.regeneration
        if (election === null) return
        const { father, awaited, report } = election
        const isUndecided = father === null && awaited.length === 0
        if (isUndecided && isMajority(report.supporters, here.setup.nodes)) {
          regenerate(node, here, report.supporters)
        }
      },
    },
  }),
  of: 'helary-plouzeau-raynal-regeneration',
  published: 'helary-plouzeau-raynal-1988 §7.1.2, a sketch',
  fails: 'one-token',
  rule:
    'If a majority of the processes agrees that none of them has the token, one of them makes a new one. The paper leaves ' +
    'the election itself to others.',
  failure: 'The failed process has cut the majority off from a survivor with the token: two tokens.',
  repair: 'For every process that is not in the election, a neighbour must say that it has failed.',
  instance: {
    nodes: 5,
    requests: 1,
    channels: 'unordered',
    topology: 'line',
    crashes: 1,
  },
}

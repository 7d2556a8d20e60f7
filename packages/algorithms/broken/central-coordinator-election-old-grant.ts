import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { centralCoordinatorElection, enter } from '../src/permission/central-coordinator-election.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof centralCoordinatorElection>('central-coordinator-election-old-grant', {
    ...centralCoordinatorElection,
    receive: {
      ...centralCoordinatorElection.receive,
      grant: (node, here, { fence }) => {
        if (node.stands === 'waiting') enter(node, here, fence)
      },
    },
  }),
  of: 'central-coordinator-election',
  published: null,
  fails: 'rules',
  rule: 'Whoever waits enters on any grant, whichever coordinator sent it.',
  failure:
    'A grant of the coordinator that crashed is still under way when its receiver is queued by the new one; it enters, ' +
    'and is let in a second time, or another is let in beside it.',
  repair: 'Take grants of the coordinator that was answered last, and of no other.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', crashes: 1 },
}

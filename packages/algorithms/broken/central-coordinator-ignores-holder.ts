import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { centralCoordinator } from '../src/permission/central-coordinator.ts'

const { receive } = centralCoordinator

export const variant: BrokenVariant = {
  algorithm: renamed<typeof centralCoordinator>('central-coordinator-ignores-holder', {
    ...centralCoordinator,
    receive: {
      ...receive,
      request(node, here, message, from) {
        if (node.desk?.holder !== from) receive.request(node, here, message, from)
      },
    },
  }),
  of: 'central-coordinator',
  published: null,
  fails: 'no-deadlock',
  rule: 'The coordinator ignores a request of the node that it believes inside, taking it for a repetition.',
  failure: 'The request overtook the release of the same node, and nobody will ever answer it.',
  repair: 'Queue every request; or let channels keep order.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}

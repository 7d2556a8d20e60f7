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
  rule: 'The coordinator ignores a request of the node that it believes to be inside: it takes the request for a duplicate.',
  failure: 'The request overtook the release of the same node. It is never answered.',
  repair: 'Queue every request, or use ordered channels.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}

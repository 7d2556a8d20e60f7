import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { carvalhoRoucairol } from '../src/permission/carvalho-roucairol.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof carvalhoRoucairol>('carvalho-roucairol-downgrade-answers-all', {
    ...carvalhoRoucairol,
    downgrade(node, here) {
      carvalhoRoucairol.release(node, here)
      node.mode = 'shared'
    },
  }),
  of: 'carvalho-roucairol',
  published: null,
  fails: 'exclusion',
  rule: 'A writer that goes on as a reader answers all nodes that it deferred.',
  failure: 'A deferred writer enters while the node still reads.',
  repair: 'It answers the readers among them. Writers are answered when it leaves.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some', downgrades: true },
}

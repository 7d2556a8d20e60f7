import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { mizunoNeilsenRao } from '../src/token/mizuno-neilsen-rao.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof mizunoNeilsenRao>('mizuno-neilsen-rao-late-request', {
    ...mizunoNeilsenRao,
    init: (self, setup) => ({ ...mizunoNeilsenRao.init(self, setup), holder: null }),
    receive: {
      ...mizunoNeilsenRao.receive,
      acquired(node, here, acquired, from) {
        mizunoNeilsenRao.receive.acquired(node, here, acquired, from)
        node.holder = null
      },
    },
  }),
  of: 'mizuno-neilsen-rao',
  published: 'velazquez-1993 §4',
  fails: 'no-deadlock',
  rule: 'A node relays the requests it knows of when ACQUIRED reaches it. The survey names no other time.',
  failure:
    'While the token is idle, every request comes later. The node records it and never tells the holder.',
  repair: 'Remember who sent ACQUIRED, and relay every later request to that node.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', quorum: 'tree' },
}

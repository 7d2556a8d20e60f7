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
  rule: 'A node relays what it knows of requests when ACQUIRED reaches it, and at no other time.',
  failure:
    'A request that reaches it afterwards, as all do while the token lies idle, is recorded and never told to the holder.',
  repair: 'Remember who sent ACQUIRED, and relay to that node when a request is heard of.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', quorum: 'tree' },
}

import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { mizunoNeilsenRao } from '../src/token/mizuno-neilsen-rao.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof mizunoNeilsenRao>('mizuno-neilsen-rao-any-acquired', {
    ...mizunoNeilsenRao,
    receive: {
      ...mizunoNeilsenRao.receive,
      acquired(node, here, acquired, from) {
        if (node.token === null) node.served = acquired.served
        mizunoNeilsenRao.receive.acquired(node, here, acquired, from)
      },
    },
  }),
  of: 'mizuno-neilsen-rao',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node takes the sender of the ACQUIRED that arrived last for the holder.',
  failure:
    'ACQUIREDs come from different nodes, so an old one may come last even on ordered channels. The node then ' +
    'relays requests to a node that has passed the token on.',
  repair: 'Compare the LN of two ACQUIREDs, which rises with every turn, and ignore the older.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', quorum: 'grid' },
}

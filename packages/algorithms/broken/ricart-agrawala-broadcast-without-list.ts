import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaBroadcast } from '../src/permission/ricart-agrawala-broadcast.ts'

const { receive } = ricartAgrawalaBroadcast

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaBroadcast>('ricart-agrawala-broadcast-without-list', {
    ...ricartAgrawalaBroadcast,
    receive: {
      ...receive,
      reply(node, here, _reply, from) {
        receive.reply(node, here, { type: 'reply', recipients: [here.self] }, from)
      },
    },
  }),
  of: 'ricart-agrawala-broadcast',
  published: null,
  fails: 'exclusion',
  rule: 'A waiting node takes a broadcast REPLY for a reply to its own request, which need not be listed.',
  failure:
    'A node asks. Before another node hears that request, it leaves and broadcasts the REPLY it owes a third. Then it ' +
    'asks again with an equal number and the smaller node number. Both enter, as footnote 2 of section 6.2.2 warns.',
  repair: 'List the recipients in the REPLY.',
  instance: { nodes: 3, requests: 2, channels: 'unordered' },
}

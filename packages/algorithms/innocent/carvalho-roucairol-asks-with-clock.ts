import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { carvalhoRoucairol } from '../src/permission/carvalho-roucairol.ts'

const { receive } = carvalhoRoucairol

export const variant: InnocentVariant = {
  name: 'carvalho-roucairol-asks-with-clock',
  algorithm: renamed<typeof carvalhoRoucairol>('carvalho-roucairol-asks-with-clock', {
    ...carvalhoRoucairol,
    receive: {
      ...receive,
      request(node, here, request, from) {
        // The request that follows a permission given away carries the highest number known.
        const send: typeof here.send = (to, message) =>
          here.send(to, message.type === 'request' ? { ...message, number: node.highest } : message)
        receive.request(node, { ...here, send }, request, from)
      },
    },
  }),
  of: 'carvalho-roucairol',
  published: 'velazquez-1993 §5, which does not say with which number',
  rule: 'A waiting node that gives its permission away asks for it again with the highest number it has seen by then.',
  suspicion:
    'Its request then has two numbers. And comparing with the highest number seen does break exclusion ' +
    '(carvalho-roucairol-running-clock).',
  harmless:
    'The permission keeps two nodes apart, since only one of them has it. Numbers only decide who is served first. With ' +
    'the larger number the node waits behind more others, but only behind nodes that had asked by then.',
}

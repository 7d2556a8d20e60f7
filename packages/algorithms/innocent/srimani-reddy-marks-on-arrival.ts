import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { handlers, passOn, srimaniReddy } from '../src/multi/srimani-reddy.ts'

export const variant: InnocentVariant = {
  name: 'srimani-reddy-marks-on-arrival',
  algorithm: renamed<typeof srimaniReddy>('srimani-reddy-marks-on-arrival', {
    ...srimaniReddy,
    ...handlers((node, here, token) => passOn(node, here, token, false)),
  }),
  of: 'srimani-reddy',
  published: 'velazquez-1993 §6',
  rule: 'PLN is updated from what tokens tell: a node that sends a token does not take the request for served by it.',
  suspicion:
    'A node may send a second token for the same request, or a token that brings old news: one too many goes about ' +
    'while somebody else waits.',
  harmless:
    'A token too many is passed on at once by whoever it reaches, like every one that is not needed; it knows by then ' +
    'what was served. Who is known to wait stays in its queue meanwhile. It costs messages only, and no more than ' +
    'n+k-1 for an entry.',
}

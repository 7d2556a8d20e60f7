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
  rule: 'A node updates PLN from arriving tokens only. Sending a token does not mark the request as served.',
  suspicion:
    'A node may send a second token for the same request, or a token that brings old news. One token too many is ' +
    'under way while another node waits.',
  harmless:
    'The node that a surplus token reaches passes it on at once, like every token that it does not need. By then ' +
    'the token knows what was served, and waiting nodes stay in its queue meanwhile. It only costs messages, at ' +
    'most n+k-1 per entry.',
}

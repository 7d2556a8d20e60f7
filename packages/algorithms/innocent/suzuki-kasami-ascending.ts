import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { suzukiKasami } from '../src/token/suzuki-kasami.ts'

export const variant: InnocentVariant = {
  name: 'suzuki-kasami-ascending',
  algorithm: renamed<typeof suzukiKasami>('suzuki-kasami-ascending', {
    ...suzukiKasami,
    options: { scan: { ...suzukiKasami.options.scan, default: 'ascending' } },
  }),
  of: 'suzuki-kasami',
  published: 'velazquez-1993 §4 and appendix A',
  rule: 'Those found waiting are put into the queue in the order of their numbers, the smallest first.',
  suspicion: 'Nodes with small numbers might be served again and again before one with a large number.',
  harmless:
    'The queue travels with the token and is served from its head: who is in it is overtaken by nobody who asks later. ' +
    'The order only decides among those found at the same moment.',
}

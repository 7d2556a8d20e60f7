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
  rule: 'The holder appends waiting nodes to the queue in the order of their numbers, the smallest first.',
  suspicion: 'Nodes with small numbers might be served again and again before one with a large number.',
  harmless:
    'The queue travels with the token and is served from its head. A later request never overtakes a node in the ' +
    'queue. The order only matters among nodes found at the same moment.',
}

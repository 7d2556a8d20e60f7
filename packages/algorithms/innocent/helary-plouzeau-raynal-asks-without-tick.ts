import type { InnocentVariant } from '../src/innocent-variant.ts'
import { helaryPlouzeauRaynal } from '../src/token/helary-plouzeau-raynal.ts'

export const variant: InnocentVariant = {
  name: 'helary-plouzeau-raynal-asks-without-tick',
  algorithm: helaryPlouzeauRaynal,
  of: 'helary-plouzeau-raynal',
  published: 'helary-plouzeau-raynal-1988 §4.3, enter_CS',
  rule: 'The clock does not tick when a node asks.',
  suspicion: 'Two requests of a node might have the same stamp, and the second be taken for the first.',
  harmless:
    'A node asks only if it has given the token away since it last asked, and then its clock ticked: line (A). ' +
    'Without that tick it does fail (helary-plouzeau-raynal-complete-without-tick).',
}

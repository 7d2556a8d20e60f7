import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { helaryPlouzeauRaynal } from '../src/token/helary-plouzeau-raynal.ts'
import { forgetful, forgetServed } from './helary-plouzeau-raynal-forgets-served.ts'

/** As the proof of Theorem 3 has it: every process on the path of the token forgets the request. */
export const moreForgetful: typeof helaryPlouzeauRaynal = {
  ...forgetful,
  receive: {
    ...forgetful.receive,
    token(node, here, token, from) {
      helaryPlouzeauRaynal.receive.token(node, here, token, from)
      forgetServed(node)
    },
  },
}

export const variant: InnocentVariant = {
  name: 'helary-plouzeau-raynal-forgets-along-the-path',
  algorithm: renamed('helary-plouzeau-raynal-forgets-along-the-path', moreForgetful),
  of: 'helary-plouzeau-raynal',
  published: 'helary-plouzeau-raynal-1988 §5.5, proof of Theorem 3',
  rule: 'Every process on the path of the token forgets the request that the token answers. The code does not do this.',
  suspicion:
    'A late copy can come back to a node that has forgotten the request. Then the token might go where no way leads on.',
  harmless:
    'A node notes each copy with a way of its own. The used way is not needed again, since a node asks anew only ' +
    'after it has had the token. This costs still more messages than forgetting at the owner alone. Late copies ' +
    'themselves occur only in the random runs on larger rings.',
}

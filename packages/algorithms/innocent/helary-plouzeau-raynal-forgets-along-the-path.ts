import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { helaryPlouzeauRaynal } from '../src/token/helary-plouzeau-raynal.ts'
import { forgetful, forgetServed } from './helary-plouzeau-raynal-forgets-served.ts'

/** As the proof of Theorem 3 has it: a request is forgotten all along the path of the token. */
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
  rule: 'Every process on the path of the token forgets the request that it answers, which the code does not do.',
  suspicion:
    'A late copy can come back to a node that has forgotten its way; the token might be sent where no way leads on.',
  harmless:
    'A copy is noted with a way of its own; the way that was used is not needed again, for a node asks anew only when ' +
    'it has had the token. It costs still more messages than to forget at the owner alone. Late copies themselves ' +
    'occur only in the random runs on larger rings.',
}

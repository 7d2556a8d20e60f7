import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { helaryPlouzeauRaynal, type State } from '../src/token/helary-plouzeau-raynal.ts'

const { receive } = helaryPlouzeauRaynal

export function forgetServed(node: State): void {
  node.heard = node.heard.filter(({ via }) => via !== null)
}

/** Section 4.3 to the letter: who serves a request forgets it, and who passes the token on forgets nothing. */
export const forgetful: typeof helaryPlouzeauRaynal = {
  ...helaryPlouzeauRaynal,
  receive: {
    ...receive,
    request(node, here, request, from) {
      receive.request(node, here, request, from)
      forgetServed(node)
    },
    token(node, here, token, from) {
      const { heard } = node
      receive.token(node, here, token, from)
      node.heard = heard
    },
  },
  release(node, here) {
    helaryPlouzeauRaynal.release(node, here)
    forgetServed(node)
  },
}

export const variant: InnocentVariant = {
  name: 'helary-plouzeau-raynal-forgets-served',
  algorithm: renamed('helary-plouzeau-raynal-forgets-served', forgetful),
  of: 'helary-plouzeau-raynal',
  published: 'helary-plouzeau-raynal-1988 §4.3',
  rule: 'The owner of the token forgets a request when it serves it; those on the way of the token do not.',
  suspicion:
    'A late copy of the request is new again to whoever forgot it, is noted and flooded once more, and old requests ' +
    'stay where the token passed.',
  harmless:
    'The token tells since when its addressee is satisfied, and only its owner chooses whom to serve: what was served ' +
    'is never served twice. It only costs messages: the counts of section 6 do not hold (see the claims below). Among ' +
    'three nodes no copy comes late. On a ring of four, with channels that keep order, 6,000,000 states to a depth of 28 ' +
    'show nothing wrong, and are not all; beyond that there are random runs on larger rings.',
}

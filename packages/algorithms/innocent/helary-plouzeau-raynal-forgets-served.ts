import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { helaryPlouzeauRaynal, type State } from '../src/token/helary-plouzeau-raynal.ts'

const { receive } = helaryPlouzeauRaynal

export function forgetServed(node: State): void {
  node.heard = node.heard.filter(({ via }) => via !== null)
}

/** Section 4.3 to the letter: a process that serves a request forgets it; one that passes the token on forgets nothing. */
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
  rule: 'The owner of the token forgets a request when it serves it. Processes on the way of the token do not.',
  suspicion:
    'A late copy of the request is new again to a process that forgot it, which notes and floods it once more. ' +
    'Old requests stay where the token passed.',
  harmless:
    'The token tells up to which date each process is satisfied, and only its owner chooses whom to serve. So no ' +
    'request is served twice. It only costs messages: the counts of section 6 do not hold (see the claims below). ' +
    'With three nodes no copy comes late. On a ring of four with ordered channels, the first 6,000,000 states, to ' +
    'a depth of 28, show no failure; there are more states. Random runs cover larger rings.',
}

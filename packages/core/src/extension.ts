import { type Here, impossible, type Message, type NodeId } from './algorithm.ts'
import type { Reason, ReasonValues } from './reason.ts'

/**
 * A `here` for the rules of an algorithm inside an extension of it. They see and do the same, but every message they
 * send goes through `send`. Where an extension has the same rules several times, `about` says which of them speak: it stands before their
 * reasons. If their numbers are not those of nodes, `values` tells the nodes instead.
 */
export function sendingThrough<M extends Message, Options>(
  here: Omit<Here<never, Options>, 'send'>,
  send: (to: NodeId, message: M) => void,
  about: Reason = { words: '', values: {} },
  values: (words: string, said: ReasonValues) => ReasonValues = (_words, said) => said,
): Here<M, Options> {
  const { self, setup } = here
  const place: Here<M, Options> = {
    self,
    setup,
    send,
    sendToOthers(message) {
      for (let to = 0; to < setup.nodes; to += 1) if (to !== self) send(to, message)
    },
    broadcast: () => impossible('an extension of rules that broadcast'),
    enter: (fence) => here.enter(fence),
    elected: (coordinator) => here.elected(coordinator),
    setTimer: (timer, delay) => here.setTimer(timer, delay),
    cancelTimer: (timer) => here.cancelTimer(timer),
    proceed: (step) => here.proceed(step),
    random: (bound) => here.random(bound),
  }
  if (here.because !== undefined)
    place.because = (words, said = {}) =>
      here.because?.(about.words + words, { ...about.values, ...values(words, said) })
  return place
}

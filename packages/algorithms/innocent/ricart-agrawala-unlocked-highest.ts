import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import {
  type Message,
  type Options,
  others,
  ricartAgrawala,
  type State,
} from '../src/permission/ricart-agrawala.ts'

type Request = Extract<Message, { type: 'request' }>

interface UnlockedState extends State {
  /** Our number is chosen, and has not been sent. */
  chosen: boolean
  /** A REQUEST whose number is recorded as the highest, and that still awaits the decision. */
  undecided: { readonly from: NodeId; readonly request: Request } | null
}

const { shapes, receive } = ricartAgrawala

/** Steps of section 2.2 that the semaphore does not join are separate steps here. Only recording a deferral is not. */
const algorithm: Algorithm<UnlockedState, Message, Options> = {
  ...ricartAgrawala,
  shapes: {
    ...shapes,
    state: {
      ...shapes.state,
      chosen: 'data',
      undecided: {
        fields: { from: 'node', request: { fields: { type: 'data', ...shapes.messages.request } } },
      },
    },
  },
  init: (self, setup) => ({ ...ricartAgrawala.init(self, setup), chosen: false, undecided: null }),

  request(node, here, ask) {
    ricartAgrawala.request(node, { ...here, sendToOthers: () => {}, enter: () => {} }, ask)
    node.awaiting = node.awaiting.map(() => false)
    node.outstanding = 0
    node.chosen = true
    here.proceed('send')
  },

  proceed(node, here, step) {
    if (step === 'decide') return decide(node, (request, from) => receive.request(node, here, request, from))
    node.chosen = false
    node.awaiting = others(here.self, here.setup.nodes)
    node.outstanding = here.setup.nodes - 1
    here.sendToOthers({ type: 'request', number: node.ours as number, reads: node.reads })
    if (node.outstanding === 0) here.enter((node.ours as number) * here.setup.nodes)
  },

  receive: {
    ...receive,
    request(node, here, request, from) {
      // One process receives all REQUESTs, and takes the next one only when it has done with the last.
      decide(node, (earlier, sender) => receive.request(node, here, earlier, sender))
      node.highest = Math.max(node.highest, request.number)
      node.undecided = { from, request }
      here.proceed('decide')
    },
  },
}

function decide(node: UnlockedState, how: (request: Request, from: NodeId) => void): void {
  const { undecided } = node
  node.undecided = null
  if (undecided !== null) how(undecided.request, undecided.from)
}

export const variant: InnocentVariant = {
  name: 'ricart-agrawala-unlocked-highest',
  algorithm: renamed('ricart-agrawala-unlocked-highest', algorithm),
  of: 'ricart-agrawala',
  published: 'ricart-agrawala-1981 §2.2',
  rule:
    'A node raises the highest number before it acquires the semaphore, and sets the count of missing replies ' +
    'after it releases it. A request may be made, sent or decided in between.',
  suspicion:
    'Two processes use shared variables outside the semaphore, and another such place does lose a reply.',
  harmless:
    'A number recorded too early only makes the next own number larger. The decision is made under the semaphore ' +
    'and takes that into account. And no reply can come before a request has been sent.',
}

import type { Algorithm, Here } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import {
  type DynamicMessage,
  type DynamicState,
  grant,
  sandersDynamic,
} from '../src/quorum/sanders-dynamic.ts'

const { shapes, receive } = sandersDynamic

type Message = DynamicMessage | { readonly type: 'release' }

/** Nodes that stay in I_i get RELEASE, and act on it as section 3.2 says: CSSTAT becomes free, the queue is served. */
const algorithm: Algorithm<DynamicState, Message> = {
  ...sandersDynamic,
  // Section 2 assumes that channels keep order, and this rule needs it.
  facts: { ...sandersDynamic.facts, channels: 'fifo' },
  shapes: { ...shapes, messages: { ...shapes.messages, release: {} } },
  release(node, here) {
    node.inform.forEach((informed, other) => {
      if (informed && other !== here.self) here.send(other, { type: 'release' })
    })
    sandersDynamic.release(node, here)
  },
  receive: {
    ...receive,
    grant(node, here, message, from) {
      const wasInformed = get(node.inform, from)
      receive.grant(node, here, message, from)
      node.inform[from] = wasInformed
    },
    release(node, here) {
      const isInside = node.wants && node.time === null
      if (isInside) serveQueue(node, here)
    },
  },
}

function serveQueue(node: DynamicState, here: Here<Message>): void {
  const { waiting } = node
  node.waiting = waiting.map(() => false)
  waiting.forEach((waits, other) => {
    if (waits) grant(node, here, other)
  })
}

export const variant: InnocentVariant = {
  name: 'sanders-dynamic-keeps-informing',
  algorithm: renamed('sanders-dynamic-keeps-informing', algorithm),
  of: 'sanders-dynamic',
  published: 'sanders-1987 §8, rule 2',
  rule: 'A node that i grants takes i out of its request set, but leaves it in its inform set.',
  suspicion:
    'The node tells i that it has left, although i keeps no record of it. The views contradict each other and ' +
    'condition a of the theorem. A RELEASE that finds i inside sets CSSTAT free, and i grants to a waiting node.',
  harmless:
    'To be inside, i needs a later GRANT of the same node. Channels keep order, so the RELEASE arrives before ' +
    'that GRANT. The rule costs up to n-1 useless messages per entry. On unordered channels two are inside after ' +
    '15 steps. So our rule 2 takes i out of both sets.',
}

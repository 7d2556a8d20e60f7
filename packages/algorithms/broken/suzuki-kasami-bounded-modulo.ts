import type { Algorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, pass, type State, scan, suzukiKasami } from '../src/token/suzuki-kasami.ts'
import { type Options, suzukiKasamiBounded } from '../src/token/suzuki-kasami-bounded.ts'

const token = {
  fields: { queue: { list: 'node' }, served: { perNode: 'data' }, fence: { clock: 'fence' } },
} as const

/** Suzuki and Kasami's rules with numbers modulo L. The only test left is "the next after the last served". */
const algorithm: Algorithm<State, Message, Options> = {
  ...suzukiKasami,
  facts: suzukiKasamiBounded.facts,
  options: suzukiKasamiBounded.options,
  shapes: {
    ...suzukiKasami.shapes,
    state: { requested: { perNode: 'data' }, token, using: 'data' },
    messages: { request: { number: 'data' }, privilege: { token } },
  },

  request(node, here, ask) {
    if (node.token !== null) return suzukiKasami.request(node, here, ask)
    const number = (get(node.requested, here.self) + 1) % here.setup.options.L
    node.requested[here.self] = number
    here.sendToOthers({ type: 'request', number })
  },

  release(node, here) {
    if (node.token === null) return
    const { L } = here.setup.options
    node.using = false
    const served = node.token.served.with(here.self, get(node.requested, here.self))
    const queue = [...node.token.queue]
    for (const other of scan(here.self, here.setup)) {
      if (!queue.includes(other) && node.requested[other] === (get(served, other) + 1) % L) queue.push(other)
    }
    const next = queue.shift()
    node.token = { queue, served, fence: node.token.fence }
    if (next !== undefined) pass(node, here, next)
  },

  receive: {
    ...suzukiKasami.receive,
    request(node, here, { number }, from) {
      node.requested[from] = number
      const { token, using } = node
      if (token === null || using) return
      if (number === (get(token.served, from) + 1) % here.setup.options.L) pass(node, here, from)
    },
  },
}

export const variant: BrokenVariant = {
  algorithm: renamed('suzuki-kasami-bounded-modulo', algorithm),
  of: 'suzuki-kasami-bounded',
  published: null,
  fails: 'rules',
  rule: 'Request numbers are counted modulo L, and a node waits when its number is the one after the last served.',
  failure:
    'A holder missed L - 1 requests of a node, all of them served by others. It takes the last request that it ' +
    'did hear for the next one to serve, and sends the token to a node that did not ask.',
  repair: 'Tell rounds of L numbers apart by a bit. Begin one only when all have acknowledged the last.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}

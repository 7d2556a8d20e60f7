/** Protocols whose rules are drawn at random: most are wrong, each in its own way. */
import { type Algorithm, impossible } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import { FENCE, FENCE_VALUE, toyFacts } from './toys.ts'

interface State {
  /** Where the node stands in its table. */
  at: number
  /** How many messages it may still send, so that every run ends. */
  left: number
  /** Whether its caller waits. */
  wants: boolean
  tokens: number
  fence: number
}

type Message = { readonly type: 'ping' | 'pong' } | { readonly type: 'token' }

/** What a node does after an event, by its place in the table. */
interface Rule {
  readonly to: number
  readonly sends: readonly { readonly offset: number; readonly type: Message['type'] }[]
  readonly enters: boolean
  readonly breaks: boolean
}

const PLACES = 3
const EVENTS = ['request', 'release', 'ping', 'pong', 'token'] as const

export function randomProtocol(seed: number, channels: 'fifo' | 'unordered'): Algorithm<State, Message> {
  const random = randomStream(seed, 'protocol')
  const table = Object.fromEntries(
    EVENTS.map((event) => [event, Array.from({ length: PLACES }, () => ruleOf(random))]),
  )
  const act = (node: State, here: Parameters<Algorithm<State, Message>['request']>[1], event: string) => {
    const rule = get(table[event] ?? [], node.at)
    if (rule.breaks) impossible(`${event} at ${node.at}`)
    node.at = rule.to
    for (const { offset, type } of rule.sends) {
      if (node.left === 0) break
      // Some tokens are copied, and some vanish.
      if (type === 'token' && node.tokens === 0 && node.at !== 0) continue
      if (type === 'token') node.tokens = Math.max(0, node.tokens - 1)
      node.left -= 1
      here.send((here.self + offset) % here.setup.nodes, { type })
    }
    if (!rule.enters || !node.wants) return
    node.wants = false
    here.enter(0)
  }
  return {
    facts: toyFacts(`random-${seed}`, { channels }),
    options: {},
    shapes: {
      state: { at: 'data', left: 'data', wants: 'data', tokens: 'data', fence: FENCE_VALUE },
      messages: { ping: {}, pong: {}, token: {} },
      fence: FENCE,
    },
    tokens: { held: ({ tokens }) => tokens, carried: ({ type }) => (type === 'token' ? 1 : 0) },
    init: (self) => ({ at: self % PLACES, left: 2, wants: false, tokens: self === 0 ? 1 : 0, fence: 0 }),
    request(node, here) {
      node.wants = true
      act(node, here, 'request')
    },
    release: (node, here) => act(node, here, 'release'),
    receive: {
      ping: (node, here) => act(node, here, 'ping'),
      pong: (node, here) => act(node, here, 'pong'),
      token(node, here) {
        node.tokens += 1
        act(node, here, 'token')
      },
    },
  }
}

function ruleOf(random: Random): Rule {
  const types = ['ping', 'pong', 'token'] as const
  return {
    to: random.below(PLACES),
    sends: Array.from({ length: random.below(3) }, () => ({
      offset: 1 + random.below(2),
      type: get(types, random.below(types.length)),
    })),
    enters: random.chance(0.3),
    breaks: random.chance(0.04),
  }
}

/**
 * The token ring that outlives crashes: Le Lann 1977 after Kessler 2024 (token ring algorithm), whose lecture takes a
 * crashed process out of the ring and has an elected process make a lost token anew; the election after Garcia-Molina
 * 1982, the bully algorithm.
 *
 * A token goes round the living processes; whoever has it may enter. After a crash the highest living process asks
 * the others whether they have the token. If nobody has, it makes a new one.
 *
 * Why it is safe: a question begins a new epoch. Whoever has answered it takes no token of an older one, so that a
 * token that was under way between two answers is void, and only if all have answered that they hold none is another
 * made. Why nobody starves: as in the token ring; after each crash there is one token again.
 *
 * Assumes channels that lose nothing but to crashes, and a failure detector that names every crashed process and no
 * other: under a partition each side would make a token. Costs what the token ring does, and 2(n-1) messages a crash.
 *
 * Where we differ:
 *  - All know all numbers, so that the ring closes at once; `ring-election` does it with next-of-next alone.
 *  - The failure detector says what the bully's election and answer messages find out: the highest living process
 *    knows that it is.
 *  - Every crash begins an epoch, whether or not the token was lost: nobody can tell before all have answered.
 *  - Question and token tell who is down: a token that was found and then sent to the dead would be missed by nobody.
 *  - Each epoch has fences of its own: the last one may have died with its holder.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { firstHolder } from '@turnwise/core/setup'
import { type Options, tokenRing } from './token-ring.ts'

export type Message =
  /** Who was down when its epoch began is told along with it: a holder must not send it to the dead. */
  | {
      readonly type: 'token'
      readonly epoch: number
      readonly fence: number
      readonly down: readonly NodeId[]
    }
  /** The sender coordinates, knows who is down, and begins an epoch. Do you have the token? */
  | { readonly type: 'coordinator'; readonly epoch: number; readonly down: readonly NodeId[] }
  | { readonly type: 'answer'; readonly epoch: number; readonly holds: boolean }

export interface State {
  /** The last fence given out, where the token is; null elsewhere. */
  fence: number | null
  wants: boolean
  using: boolean
  /** Tokens of older epochs are void. */
  epoch: number
  /** Whom the failure detector or a coordinator has named. */
  down: NodeId[]
  /** Where the highest living process looks for the token: who has not answered yet. */
  search: { unheard: NodeId[]; found: boolean } | null
}

/** More than are given out in an epoch. */
const FENCES_EACH = 2 ** 24

export const tokenRingElection: Algorithm<State, Message, Options> = {
  facts: {
    ...tokenRing.facts,
    name: 'token-ring-election',
    title: 'Token ring with election',
    year: 1982,
    idea:
      'A token goes round the living processes. After a crash the highest of them asks all others for it, and makes a ' +
      'new one if nobody has it; a token of an earlier epoch that turns up later is void.',
    sources: ['kessler-2024'],
    topology: 'complete',
    knows: 'everyone',
    faults: ['spike', 'pause', 'crash'],
  },
  options: tokenRing.options,
  // Tokens are not declared: void ones under way would count.
  shapes: {
    state: {
      fence: { clock: 'fence' },
      wants: 'data',
      using: 'data',
      epoch: 'data',
      down: { list: 'node' },
      search: { fields: { unheard: { list: 'node' }, found: 'data' } },
    },
    messages: {
      token: { epoch: 'data', fence: { clock: 'fence' }, down: { list: 'node' } },
      coordinator: { epoch: 'data', down: { list: 'node' } },
      answer: { epoch: 'data', holds: 'data' },
    },
    fence: { clock: 'fence', scaled: false },
  },

  init(self, setup) {
    return {
      fence: self === firstHolder(setup) ? 0 : null,
      wants: false,
      using: setup.inside.includes(self),
      epoch: 0,
      down: [],
      search: null,
    }
  },

  start(node, here) {
    if (node.fence !== null && !node.using) rest(node, here)
  },

  request(node, here) {
    node.wants = true
    if (node.fence !== null) enter(node, here)
  },

  withdraw(node) {
    node.wants = false
  },

  release(node, here) {
    node.using = false
    passOn(node, here)
  },

  timeout(node, here) {
    passOn(node, here)
  },

  suspect(node, here, peer) {
    learn(node, [peer])
    if (isHighest(node, here)) search(node, here)
  },

  receive: {
    token(node, here, { epoch, fence, down }) {
      if (epoch < node.epoch) return
      learn(node, down)
      node.epoch = epoch
      take(node, here, fence)
    },

    coordinator(node, here, { epoch, down }, from) {
      if (epoch < node.epoch) return
      learn(node, down)
      node.epoch = epoch
      here.send(from, { type: 'answer', epoch, holds: node.fence !== null })
      here.elected(from)
    },

    answer(node, here, { epoch, holds }, from) {
      if (node.search === null || epoch !== node.epoch) return
      node.search.unheard = node.search.unheard.filter((other) => other !== from)
      if (holds) node.search.found = true
      conclude(node, here)
    },
  },
}

function learn(node: State, dead: readonly NodeId[]): void {
  node.down = [...new Set([...node.down, ...dead])].toSorted((a, b) => a - b)
}

function isHighest({ down }: State, { self, setup }: Here<Message, Options>): boolean {
  for (let higher = self + 1; higher < setup.nodes; higher += 1) if (!down.includes(higher)) return false
  return true
}

/** Epochs rise with every crash that a coordinator hears of, and from one coordinator to the next, which is lower. */
function search(node: State, here: Here<Message, Options>): void {
  const { nodes } = here.setup
  node.epoch = (nodes - 1 - here.self) * nodes + node.down.length
  const unheard = Array.from({ length: here.self }, (_, lower) => lower).filter(
    (lower) => !node.down.includes(lower),
  )
  node.search = { unheard, found: node.fence !== null }
  for (const lower of unheard) here.send(lower, { type: 'coordinator', epoch: node.epoch, down: node.down })
  here.elected(here.self)
  conclude(node, here)
}

/** When all have answered and nobody has the token, there is none. */
function conclude(node: State, here: Here<Message, Options>): void {
  if (node.search === null || node.search.unheard.length > 0) return
  const { found } = node.search
  node.search = null
  if (!found) take(node, here, node.epoch * FENCES_EACH)
}

export function take(node: State, here: Here<Message, Options>, fence: number): void {
  node.fence = fence
  if (node.wants) enter(node, here)
  else rest(node, here)
}

function enter(node: State, here: Here<Message, Options>): void {
  if (node.fence === null) impossible(`node ${here.self} enters without the token`)
  here.cancelTimer('hop')
  node.wants = false
  node.using = true
  node.fence += 1
  here.enter(node.fence)
}

function nextLiving(
  { down }: State,
  { self, setup }: Pick<Here<Message, Options>, 'self' | 'setup'>,
): NodeId {
  let next = (self + 1) % setup.nodes
  while (down.includes(next)) next = (next + 1) % setup.nodes
  return next
}

function rest(node: State, here: Pick<Here<Message, Options>, 'self' | 'setup' | 'setTimer'>): void {
  if (nextLiving(node, here) !== here.self) here.setTimer('hop', here.setup.options.hop)
}

function passOn(node: State, here: Here<Message, Options>): void {
  if (node.fence === null) impossible(`node ${here.self} passes on a token that it does not have`)
  const next = nextLiving(node, here)
  if (next === here.self) return
  here.send(next, { type: 'token', epoch: node.epoch, fence: node.fence, down: node.down })
  node.fence = null
}

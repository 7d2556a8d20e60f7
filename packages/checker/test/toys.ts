/**
 * Toys: algorithms too simple to publish, each made for one thing that the checker has to get right. Those that
 * are wrong are wrong in exactly one way.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { FENCE, FENCE_VALUE, toyFacts } from '../../simulator/test/toy-desk.ts'

export { FENCE, FENCE_VALUE, toyFacts }

export interface DeskState {
  /** Who has a permit, and who waits for one: known at home only. */
  inside: NodeId[]
  queue: NodeId[]
  fence: number
  /** Whether the node's own caller waits. */
  wants: boolean
}

type DeskMessage =
  | { readonly type: 'ask' }
  | { readonly type: 'permit'; readonly fence: number }
  | { readonly type: 'back' }
  | { readonly type: 'cancel' }

/** Home lets in as many as may be inside, in the order in which they ask it. */
export const desk: Algorithm<DeskState, DeskMessage> = {
  facts: toyFacts('desk', { entries: 'k' }),
  options: {},
  shapes: {
    state: { inside: { list: 'node' }, queue: { list: 'node' }, fence: FENCE_VALUE, wants: 'data' },
    messages: { ask: {}, permit: { fence: FENCE_VALUE }, back: {}, cancel: {} },
    fence: FENCE,
  },
  init: (self, { home, inside }) => ({
    inside: self === home ? [...inside] : [],
    queue: [],
    fence: 0,
    wants: false,
  }),
  request(node, here) {
    node.wants = true
    atHome(here, { type: 'ask' }, () => lineUp(node, here, here.self))
  },
  release: (node, here) => atHome(here, { type: 'back' }, () => backFrom(node, here, here.self)),
  receive: {
    ask: (node, here, _ask, from) => lineUp(node, here, from),
    permit(node, here, { fence }) {
      node.wants = false
      here.enter(fence)
    },
    back: (node, here, _back, from) => backFrom(node, here, from),
    cancel(node, _here, _cancel, from) {
      node.queue = node.queue.filter((other) => other !== from)
    },
  },
}

function atHome(here: Here<DeskMessage>, message: DeskMessage, orElse: () => void): void {
  if (here.self === here.setup.home) orElse()
  else here.send(here.setup.home, message)
}

function lineUp(node: DeskState, here: Here<DeskMessage>, who: NodeId): void {
  node.queue.push(who)
  letIn(node, here)
}

function backFrom(node: DeskState, here: Here<DeskMessage>, who: NodeId): void {
  // An ask can overtake the return of the same node's last permit, so it may stand here twice.
  const place = node.inside.indexOf(who)
  if (place !== -1) node.inside.splice(place, 1)
  letIn(node, here)
}

function letIn(node: DeskState, here: Here<DeskMessage>): void {
  while (node.inside.length < here.setup.entries && node.queue.length > 0) {
    const next = node.queue.shift() as NodeId
    node.inside.push(next)
    node.fence += 1
    if (next === here.self) desk.receive.permit(node, here, { type: 'permit', fence: node.fence }, next)
    else here.send(next, { type: 'permit', fence: node.fence })
  }
}

/** The desk, lets one too many in. */
export const generousDesk: Algorithm<DeskState, DeskMessage> = {
  ...desk,
  facts: toyFacts('generous-desk', { entries: 'k' }),
  receive: {
    ...desk.receive,
    ask: (_node, here, _ask, from) => here.send(from, { type: 'permit', fence: 0 }),
  },
}

/** Takes a request back, and returns a permit that was under way already. */
export const fickle: Algorithm<DeskState, DeskMessage> = {
  ...desk,
  facts: toyFacts('fickle'),
  withdraw(node, here) {
    node.wants = false
    atHome(here, { type: 'cancel' }, () => {
      node.queue = node.queue.filter((other) => other !== here.self)
    })
  },
  receive: {
    ...desk.receive,
    permit(node, here, message, from) {
      if (node.wants) desk.receive.permit(node, here, message, from)
      else here.send(here.setup.home, { type: 'back' })
    },
  },
}

export interface HeirState extends DeskState {
  /** Whom this node believes dead. */
  dead: NodeId[]
}

/**
 * For two nodes, one of which may crash: home forgets a dead guest, and the guest of a dead home lets itself in.
 * If it `breathes`, a waiting node ticks for ever.
 */
export function heir(breathes: boolean): Algorithm<HeirState, DeskMessage> {
  return {
    ...desk,
    facts: toyFacts('heir', { timers: { breath: 'pace', doubt: 'time-out' }, timing: 'bounded' }),
    shapes: { ...desk.shapes, state: { ...desk.shapes.state, dead: { list: 'node' } } },
    init: (self, setup) => ({ ...desk.init(self, setup), dead: [] }),
    request(node, here, ask) {
      if (breathes) here.setTimer('breath', 1)
      else here.setTimer('doubt', 1)
      if (node.dead.includes(here.setup.home)) return here.enter(1)
      desk.request(node, here, ask)
    },
    timeout(node, here, timer) {
      if (node.wants && timer === 'breath') here.setTimer('breath', 1)
    },
    suspect(node, here, peer) {
      node.dead.push(peer)
      node.queue = node.queue.filter((other) => other !== peer)
      if (peer !== here.setup.home) return backFrom(node, here, peer)
      if (!node.wants) return
      node.wants = false
      here.enter(1)
    },
    receive: {
      ...desk.receive,
      ask(node, here, message, from) {
        if (!node.dead.includes(from)) desk.receive.ask(node, here, message, from)
      },
      permit(node, here, message, from) {
        if (node.wants) desk.receive.permit(node, here, message, from)
      },
    },
  }
}

export interface RingState {
  token: number | null
  wants: boolean
  using: boolean
  /** Whether the token has been set going, as far as this node knows. */
  turns: boolean
}

type RingMessage = { readonly type: 'token'; readonly fence: number } | { readonly type: 'wake' }

/** Once someone has asked, a token goes round for ever; `next` says where it goes from a node. */
export function ring(next: (here: Here<RingMessage>) => NodeId): Algorithm<RingState, RingMessage> {
  const rest = (node: RingState, here: Here<RingMessage>) => {
    if (node.token !== null && !node.using) here.setTimer('hop', 1)
  }
  const handOn = (node: RingState, here: Here<RingMessage>) => {
    here.send(next(here), { type: 'token', fence: node.token ?? 0 })
    node.token = null
  }
  return {
    facts: toyFacts('ring', { family: 'token', fallsSilent: false, timers: { hop: 'pace' } }),
    options: {},
    shapes: {
      state: { token: FENCE_VALUE, wants: 'data', using: 'data', turns: 'data' },
      messages: { token: { fence: FENCE_VALUE }, wake: {} },
      fence: FENCE,
    },
    tokens: {
      held: ({ token }) => (token === null ? 0 : 1),
      carried: ({ type }) => (type === 'token' ? 1 : 0),
    },
    init: (self, { home }) => ({ token: self === home ? 0 : null, wants: false, using: false, turns: false }),
    request(node, here) {
      node.wants = true
      if (here.self === here.setup.home) rest(node, here)
      else if (!node.turns) here.send(here.setup.home, { type: 'wake' })
      node.turns = true
    },
    release(node, here) {
      node.using = false
      handOn(node, here)
    },
    timeout(node, here) {
      if (node.token === null) return
      if (!node.wants) return handOn(node, here)
      node.wants = false
      node.using = true
      node.token += 1
      here.enter(node.token)
    },
    receive: {
      token(node, here, { fence }) {
        node.token = fence
        node.turns = true
        rest(node, here)
      },
      wake: rest,
    },
  }
}

export const rightNeighbour = ({ self, setup }: Here): NodeId => (self + 1) % setup.nodes

/** Hands the token on and keeps a copy. */
export const copyingRing: Algorithm<RingState, RingMessage> = {
  ...ring(rightNeighbour),
  timeout: (node, here) => here.send(rightNeighbour(here), { type: 'token', fence: node.token ?? 0 }),
}

type Silence = { readonly type: 'never' }
const NO_MESSAGES = { never: () => impossible('nobody sends anything') } as const

export interface DiceState {
  drawn: number[]
}

/** Throws a die of three, and if that shows no 0, a coin. */
export const dice: Algorithm<DiceState, Silence> = {
  facts: toyFacts('dice'),
  options: {},
  shapes: { state: { drawn: 'data' }, messages: { never: {} }, fence: FENCE },
  init: () => ({ drawn: [] }),
  request(node, here) {
    node.drawn.push(here.random(3))
    if (get(node.drawn, 0) > 0) node.drawn.push(here.random(2))
    here.enter(1)
  },
  release(node) {
    node.drawn = []
  },
  receive: NO_MESSAGES,
}

interface GateState {
  entries: number
}

/** Lets in at once, with whatever fence it is told to give; `fence` knows how many have entered here. */
export function gate(fence: (entries: number, here: Here<Silence>) => number): Algorithm<GateState, Silence> {
  return {
    facts: toyFacts('gate', { entries: 'k' }),
    options: {},
    shapes: { state: { entries: 'data' }, messages: { never: {} }, fence: FENCE },
    init: () => ({ entries: 0 }),
    request(node, here) {
      node.entries += 1
      here.enter(fence(node.entries, here))
    },
    release: () => {},
    receive: NO_MESSAGES,
  }
}

/** Counts its entries, which are the fences, but not the last of so many. */
export function miscounting(most: number): Algorithm<GateState & { fence: number }, Silence> {
  return {
    facts: toyFacts('miscounting'),
    options: {},
    shapes: { state: { entries: 'data', fence: FENCE_VALUE }, messages: { never: {} }, fence: FENCE },
    init: () => ({ entries: 0, fence: 0 }),
    request(node, here) {
      node.entries += 1
      if (node.entries < most) node.fence += 1
      here.enter(node.fence)
    },
    release: () => {},
    receive: NO_MESSAGES,
  }
}

/** Lets no node in, and is never at rest: a node that asks wakes all, and all tick for ever. */
export const treadmill: Algorithm<object, { readonly type: 'wake' }> = {
  facts: toyFacts('treadmill', { timers: { tick: 'pace' } }),
  options: {},
  shapes: { state: {}, messages: { wake: {} }, fence: FENCE },
  init: () => ({}),
  request(_node, here) {
    here.setTimer('tick', 1)
    here.sendToOthers({ type: 'wake' })
  },
  release: () => impossible('nobody is inside'),
  timeout: (_node, here) => here.setTimer('tick', 1),
  receive: { wake: (_node, here) => here.setTimer('tick', 1) },
}

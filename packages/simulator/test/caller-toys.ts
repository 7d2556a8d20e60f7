/**
 * Toys for what callers may do: share, withdraw, wait at a ring that never rests, ask over neighbours only.
 */
import type { Algorithm, Here, Mode, NodeId } from '@turnwise/core/algorithm'
import { intAt } from '@turnwise/core/bounds'
import { firstHolder } from '@turnwise/core/setup'
import {
  backAt,
  DESK_MESSAGES,
  DESK_STATE,
  type DeskMessage,
  type DeskState,
  FENCE,
  FENCE_VALUE,
  isDesk,
  lineUp,
  newDesk,
  toyFacts,
} from './toy-desk.ts'

interface LibraryState {
  readers: number
  writing: boolean
  queue: { node: NodeId; mode: Mode }[]
  fence: number
}

type LibraryMessage =
  | { readonly type: 'ask'; readonly mode: Mode }
  | { readonly type: 'permit'; readonly fence: number }
  | { readonly type: 'back' }

/** Shared entries: readers together, writers alone, in the order in which they ask. The librarian never asks. */
export const library: Algorithm<LibraryState, LibraryMessage> = {
  facts: toyFacts('library', { sharedMode: true }),
  options: {},
  shapes: {
    state: {
      readers: 'data',
      writing: 'data',
      queue: { list: { fields: { node: 'node', mode: 'data' } } },
      fence: FENCE_VALUE,
    },
    messages: { ask: { mode: 'data' }, permit: { fence: FENCE_VALUE }, back: {} },
    fence: FENCE,
  },
  init: (_self, { inside, insideMode }) => ({
    readers: insideMode === 'shared' ? inside.length : 0,
    writing: insideMode === 'exclusive' && inside.length > 0,
    queue: [],
    fence: 0,
  }),
  request: (_node, here, { mode }) => here.send(here.setup.home, { type: 'ask', mode }),
  release: (_node, here) => here.send(here.setup.home, { type: 'back' }),
  receive: {
    ask(node, here, { mode }, from) {
      node.queue.push({ node: from, mode })
      lend(node, here)
    },
    permit: (_node, here, { fence }) => here.enter(fence),
    back(node, here) {
      if (node.writing) node.writing = false
      else node.readers -= 1
      lend(node, here)
    },
  },
}

function lend(node: LibraryState, here: Here<LibraryMessage>): void {
  for (let next = node.queue.at(0); next !== undefined; next = node.queue.at(0)) {
    if (node.writing || (next.mode === 'exclusive' && node.readers > 0)) return
    node.queue.shift()
    if (next.mode === 'shared') node.readers += 1
    else node.writing = true
    node.fence += 1
    here.send(next.node, { type: 'permit', fence: node.fence })
  }
}

interface FickleState extends DeskState {
  waiting: boolean
}

type FickleMessage = DeskMessage | { readonly type: 'cancel' }

/** Withdrawal: takes a request back, and returns a permit that was under way already. */
export const fickle: Algorithm<FickleState, FickleMessage> = {
  facts: toyFacts('fickle'),
  options: {},
  shapes: {
    state: { desk: DESK_STATE, waiting: 'data' },
    messages: { ...DESK_MESSAGES, cancel: {} },
    fence: FENCE,
  },
  init: (_self, setup) => ({ desk: newDesk(setup), waiting: false }),
  request(node, here) {
    node.waiting = true
    here.send(here.setup.home, { type: 'ask' })
  },
  release: (_node, here) => here.send(here.setup.home, { type: 'back' }),
  withdraw(node, here) {
    node.waiting = false
    here.send(here.setup.home, { type: 'cancel' })
  },
  receive: {
    ask: ({ desk }, here, _ask, from) => lineUp(desk, here, from),
    back: ({ desk }, here) => backAt(desk, here),
    cancel({ desk }, _here, _cancel, from) {
      desk.queue = desk.queue.filter((who) => who !== from)
    },
    permit(node, here, { fence }) {
      if (!node.waiting) return here.send(here.setup.home, { type: 'back' })
      node.waiting = false
      here.enter(fence)
    },
  },
}

interface CarouselState {
  /** The last fence, where the token is; null elsewhere. */
  token: number | null
  wants: boolean
  using: boolean
}

/** Never silent: a token goes round for ever from the start, resting one unit of time at each node. */
export const carousel: Algorithm<CarouselState, { readonly type: 'token'; readonly fence: number }> = {
  facts: toyFacts('carousel', {
    family: 'token',
    topology: 'ring',
    fallsSilent: false,
    timers: { hop: 'pace' },
  }),
  options: {},
  shapes: {
    state: { token: FENCE_VALUE, wants: 'data', using: 'data' },
    messages: { token: { fence: FENCE_VALUE } },
    fence: FENCE,
  },
  init: (self, setup) => ({
    token: self === firstHolder(setup) ? 0 : null,
    wants: false,
    using: setup.inside.includes(self),
  }),
  start: (node, here) => rest(node, here),
  request(node) {
    node.wants = true
  },
  release(node, here) {
    node.using = false
    rest(node, here)
  },
  timeout(node, here) {
    if (node.token === null) return
    if (node.wants) {
      node.wants = false
      node.using = true
      node.token += 1
      here.enter(node.token)
    } else {
      here.send((here.self + 1) % here.setup.nodes, { type: 'token', fence: node.token })
      node.token = null
    }
  },
  receive: {
    token(node, here, { fence }) {
      node.token = fence
      rest(node, here)
    },
  },
}

function rest(node: CarouselState, here: Pick<Here, 'setTimer'>): void {
  if (node.token !== null && !node.using) here.setTimer('hop', 1)
}

interface RelayState {
  busy: boolean
  queue: NodeId[][]
  fence: number
}

type RelayMessage =
  | { readonly type: 'ask'; readonly path: readonly NodeId[] }
  | { readonly type: 'permit'; readonly path: readonly NodeId[]; readonly fence: number }
  | { readonly type: 'back' }

/** Neighbours only: asks for the desk's permit hop by hop; the permit comes back the way the request went. */
export const relay: Algorithm<RelayState, RelayMessage> = {
  facts: toyFacts('relay', { topology: 'connected', knows: 'neighbours' }),
  options: {},
  shapes: {
    state: { busy: 'data', queue: { list: { list: 'node' } }, fence: FENCE_VALUE },
    messages: {
      ask: { path: { list: 'node' } },
      permit: { path: { list: 'node' }, fence: FENCE_VALUE },
      back: {},
    },
    fence: FENCE,
  },
  init: (_self, { inside }) => ({ busy: inside.length > 0, queue: [], fence: 0 }),
  request: (node, here) => passOn(node, here, []),
  release: (node, here) => passBack(node, here),
  receive: {
    ask: (node, here, { path }, from) => passOn(node, here, [...path, from]),
    permit: (_node, here, { path, fence }) => permitAlong(here, path, fence),
    back: (node, here) => passBack(node, here),
  },
}

function passOn(node: RelayState, here: Here<RelayMessage>, path: NodeId[]): void {
  if (!isDesk(here)) return here.send(deskward(here), { type: 'ask', path })
  node.queue.push(path)
  if (!node.busy) permitNext(node, here)
}

function passBack(node: RelayState, here: Here<RelayMessage>): void {
  if (isDesk(here)) permitNext(node, here)
  else here.send(deskward(here), { type: 'back' })
}

function permitNext(node: RelayState, here: Here<RelayMessage>): void {
  const path = node.queue.shift()
  node.busy = path !== undefined
  if (path === undefined) return
  node.fence += 1
  permitAlong(here, path, node.fence)
}

function permitAlong(here: Here<RelayMessage>, path: readonly NodeId[], fence: number): void {
  const next = path.at(-1)
  if (next === undefined) here.enter(fence)
  else here.send(next, { type: 'permit', path: path.slice(0, -1), fence })
}

function deskward({ self, setup }: Here): NodeId {
  return intAt(setup.topology.towards(setup.home), self)
}

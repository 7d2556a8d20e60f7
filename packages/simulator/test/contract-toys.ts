/**
 * Toys: algorithms too simple to publish, each of which needs one thing of the contract. They show that the
 * contract can hold such an algorithm, and that the simulator keeps its side of it.
 */
import { type Algorithm, type Here, impossible, type Mode, type NodeId } from '@turnwise/core/algorithm'
import { exactly, type Facts } from '@turnwise/core/facts'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import type { Shape } from '@turnwise/core/shape'

function toyFacts<Options = object>(name: string, differs: Partial<Facts<Options>> = {}): Facts<Options> {
  return {
    name,
    title: name,
    year: 2024,
    family: 'permission',
    idea: 'A toy.',
    sources: [],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: { formula: '?', light: () => exactly(0), heavy: () => exactly(0) },
    syncDelay: { formula: '?', hops: () => ({ min: 0, max: 2 }) },
    faults: [],
    fallsSilent: true,
    timing: 'any',
    timers: {},
    ...differs,
  }
}

const FENCE = { clock: 'fence', scaled: false } as const
const FENCE_VALUE = { clock: 'fence' } as const

/** Many toys have a desk: the home node lets in as many as may be inside, in the order in which they ask it. */
interface Desk {
  inside: number
  queue: NodeId[]
  fence: number
}

type DeskMessage =
  | { readonly type: 'ask' }
  | { readonly type: 'permit'; readonly fence: number }
  | { readonly type: 'back' }

const DESK_STATE: Shape = { fields: { inside: 'data', queue: { list: 'node' }, fence: FENCE_VALUE } }
const DESK_MESSAGES = { ask: {}, permit: { fence: FENCE_VALUE }, back: {} } as const

function newDesk({ inside }: Setup): Desk {
  return { inside: inside.length, queue: [], fence: 0 }
}

function isDesk({ self, setup }: Here): boolean {
  return self === setup.home
}

function lineUp(desk: Desk, here: Here<DeskMessage>, who: NodeId): void {
  desk.queue.push(who)
  letIn(desk, here)
}

function backAt(desk: Desk, here: Here<DeskMessage>): void {
  desk.inside -= 1
  letIn(desk, here)
}

function letIn(desk: Desk, here: Here<DeskMessage>): void {
  while (desk.inside < here.setup.entries && desk.queue.length > 0) {
    const next = desk.queue.shift() as NodeId
    desk.inside += 1
    desk.fence += 1
    if (next === here.self) here.enter(desk.fence)
    else here.send(next, { type: 'permit', fence: desk.fence })
  }
}

interface DeskState {
  desk: Desk
}

/** The desk alone: k may be inside together. */
export const permits: Algorithm<DeskState, DeskMessage> = {
  facts: toyFacts('permits', { entries: 'k' }),
  options: {},
  shapes: { state: { desk: DESK_STATE }, messages: DESK_MESSAGES, fence: FENCE },
  init: (_self, setup) => ({ desk: newDesk(setup) }),
  request({ desk }, here) {
    if (isDesk(here)) lineUp(desk, here, here.self)
    else here.send(here.setup.home, { type: 'ask' })
  },
  release({ desk }, here) {
    if (isDesk(here)) backAt(desk, here)
    else here.send(here.setup.home, { type: 'back' })
  },
  receive: {
    ask: ({ desk }, here, _ask, from) => lineUp(desk, here, from),
    permit: (_node, here, { fence }) => here.enter(fence),
    back: ({ desk }, here) => backAt(desk, here),
  },
}

interface PagerState extends DeskState {
  heard: NodeId[]
}

/** A broadcast medium: asks and gives back over the air, where the sender does not hear itself. */
export const pager: Algorithm<PagerState, DeskMessage> = {
  facts: toyFacts('pager', { medium: 'broadcast' }),
  options: {},
  shapes: { state: { desk: DESK_STATE, heard: { list: 'node' } }, messages: DESK_MESSAGES, fence: FENCE },
  init: (_self, setup) => ({ desk: newDesk(setup), heard: [] }),
  request({ desk }, here) {
    here.broadcast({ type: 'ask' })
    if (isDesk(here)) lineUp(desk, here, here.self)
  },
  release({ desk }, here) {
    here.broadcast({ type: 'back' })
    if (isDesk(here)) backAt(desk, here)
  },
  receive: {
    ask({ desk, heard }, here, _ask, from) {
      heard.push(from)
      if (isDesk(here)) lineUp(desk, here, from)
    },
    permit: (_node, here, { fence }) => here.enter(fence),
    back({ desk }, here) {
      if (isDesk(here)) backAt(desk, here)
    },
  },
}

interface ChoirState {
  /** Who stands in line. */
  line: NodeId[]
  entries: number
  heard: string[]
}

/** An ordered broadcast medium: everyone keeps the same line, and whoever is first in it is inside. */
export const choir: Algorithm<ChoirState, { readonly type: 'want' } | { readonly type: 'done' }> = {
  facts: toyFacts('choir', { medium: 'ordered broadcast' }),
  options: {},
  shapes: {
    state: { line: { list: 'node' }, entries: FENCE_VALUE, heard: 'data' },
    messages: { want: {}, done: {} },
    fence: FENCE,
  },
  init: (_self, { inside }) => ({ line: [...inside], entries: inside.length, heard: [] }),
  request: (_node, here) => here.broadcast({ type: 'want' }),
  release: (_node, here) => here.broadcast({ type: 'done' }),
  receive: {
    want(node, here, _want, from) {
      node.heard.push(`want ${from}`)
      node.line.push(from)
      if (node.line.length === 1) begin(node, here)
    },
    done(node, here, _done, from) {
      node.heard.push(`done ${from}`)
      if (node.line.shift() !== from) impossible(`node ${from} leaves out of turn`)
      if (node.line.length > 0) begin(node, here)
    },
  },
}

function begin(node: ChoirState, here: Here): void {
  node.entries += 1
  if (node.line[0] === here.self) here.enter(node.entries)
}

interface NapperState {
  naps: number
}

/** Timers: sleeps before it enters, with a timer set anew, and an alarm that it cancels or forgets when it leaves. */
export const napper: Algorithm<NapperState, { readonly type: 'never' }, { forget: boolean }> = {
  facts: toyFacts('napper', { timers: { nap: 'pace', alarm: 'time-out' } }),
  options: { forget: { kind: 'flag', default: false, about: 'leave the alarm running' } },
  shapes: { state: { naps: FENCE_VALUE }, messages: { never: {} }, fence: FENCE },
  init: () => ({ naps: 0 }),
  request(_node, here) {
    here.setTimer('alarm', 1000)
    here.setTimer('nap', 5)
    here.setTimer('nap', 2)
  },
  release(_node, here) {
    here.cancelTimer('never started')
    if (!here.setup.options.forget) here.cancelTimer('alarm')
  },
  timeout(node, here, timer) {
    if (timer !== 'nap') return
    node.naps += 1
    here.enter(node.naps)
  },
  receive: { never: () => impossible('nobody sends anything') },
}

interface TwoStepState extends DeskState {
  steps: number
}

/** Steps: a release in two events. With `slip` it meets what cannot happen after it has scheduled the second. */
export const twoStep: Algorithm<TwoStepState, DeskMessage, { slip: boolean }> = {
  facts: toyFacts('two-step'),
  options: { slip: { kind: 'flag', default: false, about: 'stop between the two steps' } },
  shapes: { state: { desk: DESK_STATE, steps: 'data' }, messages: DESK_MESSAGES, fence: FENCE },
  init: (_self, setup) => ({ desk: newDesk(setup), steps: 0 }),
  request({ desk }, here) {
    if (isDesk(here)) lineUp(desk, here, here.self)
    else here.send(here.setup.home, { type: 'ask' })
  },
  release(_node, here) {
    here.proceed('give back')
    if (here.setup.options.slip) impossible('slipped between two steps')
  },
  proceed(node, here, step) {
    if (step !== 'give back') impossible(`no step is called ${step}`)
    node.steps += 1
    if (isDesk(here)) backAt(node.desk, here)
    else here.send(here.setup.home, { type: 'back' })
  },
  receive: permits.receive,
}

interface WatcherState {
  suspected: NodeId[]
  /** Whose messages came back. */
  returned: NodeId[]
  restarts: ('memory' | 'amnesia')[]
  serial: number
  inside: boolean
}

type WatcherMessage = { readonly type: 'may I' } | { readonly type: 'you may' }

/**
 * Failures: asks its right-hand neighbour, and enters when that one answers or cannot be reached. Writes down
 * whom it suspects, what came back, and how it restarted. Good for one request at a time.
 */
export const watcher: Algorithm<WatcherState, WatcherMessage> = {
  facts: toyFacts('watcher', { faults: ['crash', 'restart', 'cut'] }),
  options: {},
  shapes: {
    state: {
      suspected: { list: 'node' },
      returned: { list: 'node' },
      restarts: 'data',
      serial: FENCE_VALUE,
      inside: 'data',
    },
    messages: { 'may I': {}, 'you may': {} },
    fence: FENCE,
  },
  init: (self, { inside }) => ({
    suspected: [],
    returned: [],
    restarts: [],
    serial: 0,
    inside: inside.includes(self),
  }),
  request: (_node, here) => here.send((here.self + 1) % here.setup.nodes, { type: 'may I' }),
  release(node) {
    node.inside = false
  },
  receive: {
    'may I': (_node, here, _question, from) => here.send(from, { type: 'you may' }),
    'you may': (node, here) => goIn(node, here),
  },
  undelivered(node, here, to, message) {
    node.returned.push(to)
    if (message.type === 'may I') goIn(node, here)
  },
  suspect: (node, _here, peer) => void node.suspected.push(peer),
  restore(node, _here, peer) {
    node.suspected = node.suspected.filter((other) => other !== peer)
  },
  restart: (node, _here, memory) => void node.restarts.push(memory ? 'memory' : 'amnesia'),
}

function goIn(node: WatcherState, here: Here): void {
  node.inside = true
  node.serial += 1
  here.enter(node.serial)
}

interface GamblerState {
  drawn: number[]
}

/** Chance and options: throws as many dice, of as many sides, as its options say. */
export const gambler: Algorithm<
  GamblerState,
  { readonly type: 'never' },
  { sides: number; loaded: boolean }
> = {
  facts: toyFacts('gambler'),
  options: {
    sides: { kind: 'integer', default: 6, min: 1, about: 'of each die' },
    loaded: { kind: 'flag', default: false, about: 'throw no dice and always score 0' },
  },
  shapes: { state: { drawn: 'data' }, messages: { never: {} }, fence: FENCE },
  init: () => ({ drawn: [] }),
  request(node, here) {
    const { sides, loaded } = here.setup.options
    node.drawn.push(loaded ? 0 : here.random(sides))
    here.enter(node.drawn.length)
  },
  release: () => {},
  receive: { never: () => impossible('nobody sends anything') },
}

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
  return setup.topology.towards(setup.home)[self]
}

/** Slips: does something forbidden when it is asked to enter. */
export function slipping(slip: (here: Here<DeskMessage>) => void): Algorithm<DeskState, DeskMessage> {
  return { ...permits, facts: toyFacts('slipping'), request: (_node, here) => slip(here) }
}

/**
 * Toys: algorithms too simple to publish, each of which needs one thing of the contract. They show that the
 * contract can hold such an algorithm, and that the simulator keeps its side of it.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
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
  permits,
  toyFacts,
} from './toy-desk.ts'

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

/** An ordered broadcast medium: all nodes keep the same line, and the first in it is inside. */
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
  options: { forget: { kind: 'flag', default: false, title: 'Forget', about: 'leave the alarm running' } },
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
  options: { slip: { kind: 'flag', default: false, title: 'Slip', about: 'stop between the two steps' } },
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
    sides: { kind: 'integer', default: 6, min: 1, title: 'Sides', about: 'of each die' },
    loaded: { kind: 'flag', default: false, title: 'Loaded', about: 'throw no dice and always score 0' },
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

/** Toys that need something of the world around them: a broadcast medium, a time-out, a step of their own. */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { FENCE, FENCE_VALUE, toyFacts } from './toys.ts'

export interface ChoirState {
  /** Who stands in line, as far as this node has heard. */
  line: NodeId[]
  /** Everything it has heard, in order. */
  heard: string[]
}

type ChoirMessage = { readonly type: 'want' } | { readonly type: 'done' }

/** All nodes keep the same line, and the first in it is inside: right if all hear in the same order. */
export const choir: Algorithm<ChoirState, ChoirMessage> = {
  facts: toyFacts('choir', { medium: 'ordered broadcast' }),
  options: {},
  shapes: {
    state: { line: { list: 'node' }, heard: 'data' },
    messages: { want: {}, done: {} },
    fence: FENCE,
  },
  init: () => ({ line: [], heard: [] }),
  request: (_node, here) => here.broadcast({ type: 'want' }),
  release: (_node, here) => here.broadcast({ type: 'done' }),
  receive: {
    want: (node, here, _want, from) => hear(node, here, 'want', from),
    done: (node, here, _done, from) => hear(node, here, 'done', from),
  },
}

function hear(node: ChoirState, here: Here, what: 'want' | 'done', from: NodeId): void {
  node.heard.push(`${what} ${from}`)
  const [before] = node.line
  node.line = what === 'want' ? [...node.line, from] : node.line.filter((other) => other !== from)
  const [first] = node.line
  if (first === here.self && before !== here.self) here.enter(node.heard.length)
}

/** The same over the air, where the sender does not hear itself and others hear in any order. */
export const crowd: Algorithm<ChoirState, ChoirMessage> = {
  ...choir,
  facts: toyFacts('crowd', { medium: 'broadcast' }),
  request(node, here) {
    here.broadcast({ type: 'want' })
    hear(node, here, 'want', here.self)
  },
  release(node, here) {
    here.broadcast({ type: 'done' })
    hear(node, here, 'done', here.self)
  },
}

/** Says when it enters and leaves, writes down what it hears, and lets everyone in. */
export const radio: Algorithm<ChoirState, ChoirMessage> = {
  ...choir,
  facts: toyFacts('radio', { medium: 'broadcast', entries: 'k' }),
  request(_node, here) {
    here.broadcast({ type: 'want' })
    here.enter(1)
  },
  receive: {
    want: ({ heard }, _here, _want, from) => void heard.push(`want ${from}`),
    done: ({ heard }, _here, _done, from) => void heard.push(`done ${from}`),
  },
}

interface LenderState {
  /** Node 0: whether node 1 has the section, or is to have it next. */
  lent: 'no' | 'next' | 'yes'
  wants: boolean
  inside: boolean
}

type LenderMessage = { readonly type: 'may I' | 'no' | 'yes' | 'back' }

/**
 * Two nodes; the section belongs to node 0. Node 1 asks for it and takes silence for consent: right if a time-out
 * means that nothing is under way any more.
 */
export const lender: Algorithm<LenderState, LenderMessage> = {
  facts: toyFacts('lender', { timing: 'bounded', timers: { silence: 'time-out' } }),
  options: {},
  shapes: {
    state: { lent: 'data', wants: 'data', inside: 'data' },
    messages: { 'may I': {}, no: {}, yes: {}, back: {} },
    fence: FENCE,
  },
  init: () => ({ lent: 'no', wants: false, inside: false }),
  request(node, here) {
    node.wants = true
    if (here.self === 0) return enterIfOurs(node, here)
    here.send(0, { type: 'may I' })
    here.setTimer('silence', 10)
  },
  release(node, here) {
    node.inside = false
    if (here.self === 1) return here.send(0, { type: 'back' })
    if (node.lent !== 'next') return
    node.lent = 'yes'
    here.send(1, { type: 'yes' })
  },
  timeout: (node, here) => take(node, here),
  receive: {
    'may I'(node, here) {
      node.lent = node.inside ? 'next' : 'yes'
      if (node.inside) here.send(1, { type: 'no' })
    },
    no: (_node, here) => here.cancelTimer('silence'),
    yes(node, here) {
      here.cancelTimer('silence')
      take(node, here)
    },
    back(node, here) {
      node.lent = 'no'
      enterIfOurs(node, here)
    },
  },
}

function enterIfOurs(node: LenderState, here: Here): void {
  if (node.wants && node.lent === 'no') take(node, here)
}

function take(node: LenderState, here: Here): void {
  node.wants = false
  node.inside = true
  here.enter(1)
}

export interface TidyState {
  busy: boolean
  queue: NodeId[]
  fence: number
  log: string[]
}

type TidyMessage =
  | { readonly type: 'ask' }
  | { readonly type: 'permit'; readonly fence: number }
  | { readonly type: 'back' }

/** Home lets one in at a time; a node leaves in three events: it gives the section back, and tidies up. */
export const tidy: Algorithm<TidyState, TidyMessage> = {
  facts: toyFacts('tidy'),
  options: {},
  shapes: {
    state: { busy: 'data', queue: { list: 'node' }, fence: FENCE_VALUE, log: 'data' },
    messages: { ask: {}, permit: { fence: FENCE_VALUE }, back: {} },
    fence: FENCE,
  },
  init: () => ({ busy: false, queue: [], fence: 0, log: [] }),
  request(node, here) {
    if (here.self === here.setup.home) lineUp(node, here, here.self)
    else here.send(here.setup.home, { type: 'ask' })
  },
  release(_node, here) {
    here.proceed('give back')
    here.proceed('tidy up')
  },
  proceed(node, here, step) {
    node.log.push(step)
    if (step !== 'give back') return
    if (here.self === here.setup.home) serveNext(node, here)
    else here.send(here.setup.home, { type: 'back' })
  },
  receive: {
    ask: (node, here, _ask, from) => lineUp(node, here, from),
    permit: (_node, here, { fence }) => here.enter(fence),
    back: (node, here) => serveNext(node, here),
  },
}

function lineUp(node: TidyState, here: Here<TidyMessage>, who: NodeId): void {
  node.queue.push(who)
  if (!node.busy) serveNext(node, here)
}

function serveNext(node: TidyState, here: Here<TidyMessage>): void {
  const next = node.queue.shift()
  node.busy = next !== undefined
  if (next === undefined) return
  node.fence += 1
  if (next === here.self) here.enter(node.fence)
  else here.send(next, { type: 'permit', fence: node.fence })
}

/** Asks its neighbour, who says that this cannot happen. */
export const stickler: Algorithm<object, { readonly type: 'ask' }> = {
  facts: toyFacts('stickler'),
  options: {},
  shapes: { state: {}, messages: { ask: {} }, fence: FENCE },
  init: () => ({}),
  request: (_node, here) => here.send((here.self + 1) % here.setup.nodes, { type: 'ask' }),
  release: () => {},
  receive: { ask: (_node, _here, _ask, from) => impossible(`node ${from} asks`) },
}

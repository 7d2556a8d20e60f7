/**
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981,
 * section 6.4: sequence numbers that stay bounded however often the critical section is entered.
 *
 * As `ricart-agrawala`, but numbers are stored modulo M, M at least 2n-1. All numbers in use at a time lie within n of
 * each other: a new number is at most one above a known one, and its request is not granted while there is a smaller
 * one. So of two residues that are n or more apart, the smaller is the later one. It has gone round, and is read as if
 * M were added to it.
 *
 * Why it is safe, and why nobody starves: every comparison has the outcome it would have without the modulus.
 *
 * Assumes what `ricart-agrawala` assumes, and costs as much: 2(n-1) messages, with numbers of log2(2n-1) bits.
 *
 * Where we differ:
 *  - A node records the number it sent as the highest, as the paper's text says and its code does not. Here safety
 *    depends on it: otherwise the next own number may fall behind the window, and be read as far ahead.
 *  - Numbers that go round cannot serve as fences. So requests and replies carry an unbounded fence, on which no
 *    decision depends. A node that enters has had a reply from each earlier visitor after its exit, so one more than
 *    the largest fence it has heard of is new.
 *  - Larger increments (6.5) would need a larger M, so they are options of `ricart-agrawala` only.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { nodesWhere } from '@turnwise/core/reason'
import type { Setup } from '@turnwise/core/setup'
import { sayWhoIsFirst } from './priority.ts'
import { nobody, others } from './ricart-agrawala.ts'

type Message =
  | { readonly type: 'request'; readonly number: number; readonly fence: number }
  | { readonly type: 'reply'; readonly fence: number }

interface State {
  /** Highest_Sequence_Number, modulo M: of those sent or received, the one furthest ahead. */
  highest: number
  /** Our_Sequence_Number, modulo M, while waiting and inside; null otherwise. */
  ours: number | null
  /** Whose replies are still missing. */
  awaiting: boolean[]
  /** Reply_Deferred[j]: j waits for our reply until we leave. */
  deferred: boolean[]
  /** The largest fence heard of. */
  fence: number
}

export interface ModulusOptions {
  /** M; 0 for the least that is safe. */
  modulus: number
}

export const ricartAgrawalaModulo: Algorithm<State, Message, ModulusOptions> = {
  facts: {
    name: 'ricart-agrawala-modulo',
    title: 'Ricart-Agrawala, bounded numbers',
    year: 1981,
    family: 'permission',
    idea:
      'Ricart and Agrawala with sequence numbers modulo 2n-1. Numbers in use at the same time lie within n of ' +
      'each other. So of two that are further apart, the smaller has gone round and is the later one.',
    sources: ['ricart-agrawala-1981 §6.4'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '2(n-1)',
      light: ({ nodes }) => exactly(2 * (nodes - 1)),
      heavy: ({ nodes }) => exactly(2 * (nodes - 1)),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {
    modulus: {
      kind: 'integer',
      default: 0,
      min: 0,
      title: 'Numbers are modulo',
      about: 'sequence numbers are taken modulo this, 2n-1 or more; 0 is 2n-1',
      misfit: (modulus, nodes) =>
        modulus === 0 || modulus >= 2 * nodes - 1
          ? null
          : `the modulus ${modulus} is less than 2n-1, which is ${2 * nodes - 1}`,
    },
  },
  shapes: {
    state: {
      highest: 'data',
      ours: 'data',
      awaiting: { perNode: 'data' },
      deferred: { perNode: 'data' },
      fence: { clock: 'fence' },
    },
    messages: {
      request: { number: 'data', fence: { clock: 'fence' } },
      reply: { fence: { clock: 'fence' } },
    },
    fence: { clock: 'fence', scaled: false },
  },

  init(self, { nodes, inside }) {
    return {
      highest: 0,
      ours: inside.includes(self) ? 0 : null,
      awaiting: nobody(nodes),
      deferred: nobody(nodes),
      fence: 0,
    }
  },

  request(node, here) {
    node.ours = (node.highest + 1) % modulusOf(here.setup)
    node.highest = node.ours
    node.awaiting = others(here.self, here.setup.nodes)
    here.because?.('node {self} takes number {number}, one above all it has seen, modulo {modulus}', {
      number: node.ours,
      modulus: modulusOf(here.setup),
    })
    here.sendToOthers({ type: 'request', number: node.ours, fence: node.fence })
    enterIfAllReplied(node, here)
  },

  release(node, here) {
    node.ours = null
    const deferred = nodesWhere(node.deferred, Boolean)
    if (deferred.length === 0) here.because?.('node {self} has left, and owes nobody a reply')
    else here.because?.('node {self} has left: it owes {deferred} a reply', { deferred })
    for (const other of deferred) here.send(other, { type: 'reply', fence: node.fence })
    node.deferred = nobody(here.setup.nodes)
  },

  receive: {
    request(node, here, { number, fence }, from) {
      const { nodes } = here.setup
      node.fence = Math.max(node.fence, fence)
      if (isEarlier(node.highest, number, nodes)) node.highest = number
      sayWhy(node.ours, here, number, from)
      if (weComeFirst(node.ours, here.self, number, from, nodes)) node.deferred[from] = true
      else here.send(from, { type: 'reply', fence: node.fence })
    },

    reply(node, here, { fence }, from) {
      node.fence = Math.max(node.fence, fence)
      if (!node.awaiting[from]) return
      node.awaiting[from] = false
      enterIfAllReplied(node, here)
    },
  },
}

/** M: 2n-1 is the least that tells n numbers ahead from n numbers behind. */
function modulusOf({ nodes, options }: Setup<ModulusOptions>): number {
  return options.modulus === 0 ? 2 * nodes - 1 : options.modulus
}

/** Of two residues that are n or more apart, the smaller has gone round. */
function isEarlier(a: number, b: number, nodes: number): boolean {
  return Math.abs(a - b) >= nodes ? a > b : a < b
}

function weComeFirst(
  ours: number | null,
  self: NodeId,
  theirs: number,
  from: NodeId,
  nodes: number,
): boolean {
  if (ours === null) return false
  return ours === theirs ? self < from : isEarlier(ours, theirs, nodes)
}

/** The comparison in words: equal residues, residues within n of each other, and one that has gone round. */
function sayWhy(
  ours: number | null,
  here: Here<Message, ModulusOptions>,
  number: number,
  from: NodeId,
): void {
  if (ours === null)
    return here.because?.('node {self} does not want to enter, so it replies to node {from} at once', {
      from,
    })
  const weAreFirst = isEarlier(ours, number, here.setup.nodes)
  if (weAreFirst === ours < number) return sayWhoIsFirst(ours, here, { time: number, node: from })
  if (weAreFirst)
    here.because?.(
      'node {self} comes before node {from}: {number} is so far below {ours} that it has gone round (6.4)',
      { from, number, ours },
    )
  else
    here.because?.(
      'node {from} comes before node {self}: {ours} is so far below {number} that it has gone round (6.4)',
      { from, number, ours },
    )
}

function enterIfAllReplied(node: State, here: Here<Message, ModulusOptions>): void {
  if (node.awaiting.includes(true)) {
    const missing = nodesWhere(node.awaiting, Boolean)
    return here.because?.('node {self} needs the reply of {missing}', { missing })
  }
  here.because?.('node {self} lacks no reply: none of the others comes before it')
  node.fence += 1
  here.enter(node.fence)
}

/**
 * The token algorithms that recover, and what from. `packages/algorithms/test/recovery-matrix.test.ts` runs every cell
 * over many random seeds, and `docs/recovery.md` shows them.
 */
import type { Message, NodeId } from '@turnwise/core/algorithm'
import type { RunWishes } from '@turnwise/simulator/configuration'
import type { Bound, Row, Shown } from './rows.ts'

const forGood = (node: NodeId, at: number) => [`crash:${node}@${at}`]

const remembering = (node: NodeId, at: number) => [
  `crash:${node}@${at}`,
  `restart:${node}@${hundredths(at + 20)}`,
]

const rememberingOrNot = (node: NodeId, at: number, seed: number) => [
  `crash:${node}@${at}`,
  `restart:${node}@${hundredths(at + 20)}${seed % 2 === 0 ? ',amnesia' : ''}`,
]

function hundredths(time: number): number {
  return Math.round(time * 100) / 100
}

/** Different sizes, loads and delays; a bound on delays, where that is what time-outs rest on. */
function busy(latency: string, more: RunWishes = {}) {
  return (seed: number): RunWishes => ({
    nodes: 4 + (seed % 3),
    load: seed % 2 === 0 ? 'heavy' : 'closed:5',
    entries: 30,
    latency,
    ...more,
  })
}

/** Everyone asks at the beginning; node 0, who has the token, fails inside, and all others miss it at the same moment. */
function allAtOnce(most: Bound, more: RunWishes = {}): Shown {
  return {
    wishes: (seed) => ({ nodes: 4 + (seed % 3), load: 'heavy', entries: 30, latency: 'constant:1', ...more }),
    moment: (seed) => ({ nodes: [0], at: hundredths(0.1 + (seed % 9) / 10) }),
    most,
  }
}

function each(wishes: Shown['wishes'], most: Bound) {
  return { holder: { wishes, most }, waiting: { wishes, most }, path: { wishes, most } }
}

/** The same for all. */
function none(reason: string) {
  return { holder: reason, waiting: reason, path: reason, two: reason }
}

const isType = (type: string) => (message: Message) => message.type === type

/** An election in whose messages the caller is named. */
function calls(message: Message, from: NodeId): boolean {
  const { generation, id } = message as Message & { generation?: { node: NodeId }; id?: NodeId }
  return message.type === 'election' && (generation?.node ?? id) === from
}

const INQUIRY = ['token-missing', 'ack', 'nack', 'recovering', 'information']

/** Consulting, query and candidacy of each of the n-1 who are left; and the news. */
const PHASES: Bound = { formula: '3(n-1)² + n-1', of: (n) => (n - 1) * (3 * n - 2) }
/** One who checks takes 5n-7, if all n-1 who are left do so at once: each check is answered and called off. */
const CHECKS: Bound = { formula: '3(n-1)²', of: (n) => 3 * (n - 1) ** 2 }
const INQUIRIES: Bound = { formula: '2(n-1)²', of: (n) => 2 * (n - 1) ** 2 }
const INQUIRIES_OF_SURVIVORS: Bound = { formula: '2(n-1)(n-2)', of: (n) => 2 * (n - 1) * (n - 2) }
/** A ring without one node has n-2 channels. Both its neighbours call an election, of 2e + n-2 messages each. */
const ECHOES: Bound = { formula: '6(n-2) on a ring', of: (n) => 6 * (n - 2) }
const ROUNDS: Bound = { formula: '3(n-1) - 1', of: (n) => 3 * (n - 1) - 1 }
const NOTHING: Bound = { formula: '0', of: () => 0 }
const BULLY: Bound = { formula: 'n² - 3', of: (n) => n * n - 3 }

function raymondRow(algorithm: string): Row {
  return {
    algorithm,
    failure: rememberingOrNot,
    messages: ['restart', 'advise'],
    starts: isType('restart'),
    cells: {
      ...each(busy('exponential:1'), { formula: '2 for each neighbour', of: (n) => 2 * (n - 1) }),
      // Two neighbours would wait for each other; these are none.
      two: {
        wishes: (seed) => ({ nodes: 4 + (seed % 3), topology: 'line', load: 'heavy', entries: 30 }),
        moment: (seed) => ({ nodes: [seed % 2, 3], at: hundredths(3.1 + (seed % 17)) }),
        most: { formula: '2 for each neighbour of both', of: () => 8 },
      },
    },
    note: 'Those who fail come back, with their memory or without.',
    partition: { outcome: 'no second token', shownBy: 'raymond-recovery/holder' },
  }
}

export const matrix: readonly Row[] = [
  {
    algorithm: 'naimi-trehel-recovery',
    failure: forGood,
    messages: ['consult', 'quiet', 'failure', 'present', 'election', 'elected'],
    starts: isType('election'),
    cells: { ...each(busy('uniform:0,3'), PHASES), two: allAtOnce(PHASES) },
    partition: { outcome: 'two tokens', shownBy: 'naimi-trehel-recovery/partition' },
  },
  {
    algorithm: 'mishra-srimani',
    failure: forGood,
    messages: [
      'privilege-check',
      'rep-critical',
      'no-crit',
      'false-alarm',
      'create-privilege',
      'update',
      'recovered',
    ],
    starts: isType('privilege-check'),
    cells: { ...each(busy('uniform:0,3'), CHECKS), two: allAtOnce(CHECKS) },
    partition: { outcome: 'two tokens', shownBy: 'mishra-srimani/partition' },
  },
  {
    algorithm: 'mishra-srimani-coordinator',
    failure: forGood,
    messages: [],
    starts: () => false,
    cells: none('the survey has one sentence on this algorithm and none on its recovery; a failure is safe'),
    partition: { outcome: 'nobody enters', shownBy: 'mishra-srimani-coordinator/coordinator-fails' },
  },
  {
    algorithm: 'nishio-li-manning',
    failure: remembering,
    messages: INQUIRY,
    starts: isType('token-missing'),
    cells: { ...each(busy('exponential:1'), INQUIRIES), two: allAtOnce(INQUIRIES) },
    note: 'Those who fail come back with their memory. One that stays away stops all others, so the facts claim no crash.',
    claimsLess: true,
    partition: { outcome: 'no second token', shownBy: 'nishio-li-manning/partition' },
  },
  {
    algorithm: 'nishio-li-manning-detection',
    failure: forGood,
    messages: INQUIRY,
    starts: isType('token-missing'),
    cells: { ...each(busy('exponential:1'), INQUIRIES_OF_SURVIVORS), two: allAtOnce(INQUIRIES_OF_SURVIVORS) },
    partition: { outcome: 'two tokens', shownBy: 'nishio-li-manning-detection/detector-errs' },
  },
  ...['raymond-recovery', 'raymond-piggyback-recovery'].map(raymondRow),
  {
    algorithm: 'helary-plouzeau-raynal-regeneration',
    failure: forGood,
    messages: ['election', 'support', 'elected'],
    starts: calls,
    cells: {
      ...each(busy('exponential:1', { topology: 'ring' }), ECHOES),
      two: allAtOnce(ECHOES, { topology: 'ring' }),
    },
    note: 'A failure detector that errs, and names fewer than half of the nodes, would make a second token all the same.',
    partition: {
      outcome: 'no second token',
      shownBy: 'helary-plouzeau-raynal-regeneration/no-token-is-made',
    },
  },
  {
    algorithm: 'token-ring-election',
    failure: forGood,
    messages: ['election', 'coordinator'],
    starts: calls,
    cells: {
      ...each(busy('exponential:1'), ROUNDS),
      two: {
        wishes: (seed) => ({ nodes: 5 + (seed % 3), load: 'heavy', entries: 30 }),
        moment: (seed) => ({ nodes: [0, 2], at: hundredths(2.1 + (seed % 23) / 2) }),
        most: { formula: '3(n-2) - 1', of: (n) => 3 * (n - 2) - 1 },
      },
    },
    partition: { outcome: 'two tokens', shownBy: 'token-ring-election/partition' },
  },
  {
    algorithm: 'central-coordinator-election',
    failure: forGood,
    messages: ['election', 'answer', 'coordinator', 'standing'],
    atStart: (n) => 2 * (n - 1),
    starts: isType('election'),
    note: 'There is no token: its holder stands for who is inside, and its way leads over the coordinator, the highest.',
    cells: {
      holder: {
        wishes: busy('exponential:1'),
        who: ({ inside, nodes }) => [...inside].filter((node) => node !== nodes - 1),
        most: NOTHING,
      },
      waiting: {
        wishes: busy('exponential:1'),
        who: ({ waiting, nodes }) => [...waiting].filter((node) => node !== nodes - 1),
        most: NOTHING,
      },
      path: { wishes: busy('exponential:1'), who: ({ nodes }) => [nodes - 1], most: BULLY },
      two: { wishes: busy('constant:1'), who: ({ nodes }) => [nodes - 1], most: BULLY },
    },
    partition: { outcome: 'two tokens', shownBy: 'central-coordinator-election/partition' },
  },
]

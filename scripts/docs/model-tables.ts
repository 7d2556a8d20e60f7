import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import { innocentNames } from '@turnwise/algorithms/innocent/innocents'
import { commandFor, type Expected, type Model, type ModelFile, modelFiles } from '../models.ts'

const WHAT_IT_SAYS = [
  'Every line is a command. The checker visits every state that the instance can reach. It decides exclusion, one token,',
  'no deadlock, no broken rule of the paper, that every waiting node can still enter, no starvation under weak fairness,',
  'and rising fences. It also decides that somebody enters, that everybody enters, and that nodes compete. Of an election',
  'it decides that there is one coordinator, that all agree, that it is the highest node, and that the election ends.',
  '"Any" means runs of any length: clocks are shifted, so the states are finitely many. Messages per entry and overtaking',
  'are exact extremes over all runs of the instance. The checker does not know how long a time-out is: of several, any may',
  'be the first, again and again. So a count without bound here may have a bound in time (the messages of the bully).',
  '',
  'Weak fairness is decided for each message. A shift of a clock gives the same message another number, so the check of',
  'starvation follows messages through shifts ([starvation.ts](../packages/checker/src/starvation.ts)). A test decides the',
  'same with real clock values, and follows every message by itself',
  '([fairness.test.ts](../packages/checker/test/fairness.test.ts)).',
  '',
  'With `--gaps 2` the checker treats all distances of 2 and more between neighbouring clock values as equal. A node that',
  'hears of nothing falls behind for ever, and yet the states are finitely many. The checker explores every step of the',
  'algorithm, and perhaps runs that the algorithm does not have. So what holds is proved',
  '([gaps.ts](../packages/checker/src/gaps.ts)), and costs are left out.',
  '',
  'With `--reduce` the checker skips orders of steps that make no difference to exclusion, tokens, deadlocks and rules',
  '([below](#what-a-reduction-saves)).',
  '',
  'With `--room 2` the checker visits no state with more than two messages under way from one node to another. Then runs of',
  'any length have finitely many states where messages pile up. It decides exclusion, one token, deadlocks, rules and fences',
  'for all these states, and nothing beyond them.',
  '',
  'With `--settle` the checker receives messages at once when it makes no difference any more when they arrive, such as a',
  'request that was served long ago. They do not pile up, so runs of any length may have finitely many states. Every property',
  'is decided, and costs are exact ([settling.ts](../packages/checker/src/settling.ts)). Which messages are settled takes a',
  'proof for each algorithm. There is one for [Suzuki-Kasami](../packages/algorithms/src/token/suzuki-kasami-settled.ts), one',
  'for [ricart-agrawala-token](../packages/algorithms/src/token/ricart-agrawala-token-settled.ts), and one for',
  '[sanders](../packages/algorithms/src/quorum/arbiter-settled.ts), where late FAILs and INQUIREs are settled. Tests',
  'compare every step of bounded runs with the full search.',
  '',
  'For some algorithms the tables have no complete world of three nodes with runs of any length:',
  '',
  '- ricart-agrawala-token: the counters of nodes drift apart. With `--settle --gaps 2` exclusion, one token, deadlocks and',
  '  rules are decided. Starvation stays open: gaps compare the counters of different nodes, which the rules never do.',
  '- maekawa and the other arbiters with unordered channels: late FAILs and INQUIREs pile up. With `--channels fifo` nothing',
  '  piles up. The table has sanders with unordered channels, by `--settle --gaps 2`.',
  '- lamport: not finished after 9 million states (depth 20), nor with `--reduce` after 6.7 million (depth 22). Every entry',
  '  waits for a reply of all, so nothing piles up. But each reply and release has a clock value, so there are many',
  '  states. The table has a world with `--room 1 --gaps 1`.',
  '- helary-plouzeau-raynal: requests pile up in the channels to a node that receives none. With `--room 1` it is not finished',
  '  after 2 million states. A request that was satisfied long ago is not settled: it raises the clock of its receiver. If the',
  '  receiver then asks itself, its request has a later date, and another node may go first.',
  '- raymond-k with k above 1: a node enters without the late replies, so requests and owed replies have no bound. An old request',
  '  is not settled: it raises the number that its receiver chooses next, and its sender waits for the reply to it as for any',
  '  other. k = 1 is in the table.',
  '- srimani-reddy with k above 1: a request that one token has served is not settled. If it arrives at a node with another idle',
  '  token, that node sends the token away. Requests pile up, and each of them can do so.',
  '- srimani-reddy with k = 1 and a large L: a node counts the requests that have arrived, up to L. So there are too many states.',
  '- srimani-reddy with k = 1 and L = 1: not finished after 22 million (depth 59).',
  '',
  '`--reduce` does not help where messages pile up: in every order of the same steps, the message that is not received',
  'stays in its channel. [A test](../packages/checker/test/settling-limits.test.ts) shows for helary-plouzeau-raynal,',
  'raymond-k and srimani-reddy that a late message makes a difference.',
  '',
]

/** The checked models, from the records. */
export function modelTables(): string {
  const broken = new Set([...gallery, ...brokenElections].map(({ algorithm }) => algorithm.facts.name))
  const files = modelFiles()
  return [
    '# What was checked',
    '',
    ...WHAT_IT_SAYS,
    'Generated from `packages/algorithms/models` by `npm run docs`, and by `npm run check:all`, which checks every line',
    'again.',
    '',
    '## Algorithms',
    '',
    ...modelTable(files.filter(({ algorithm }) => !broken.has(algorithm) && !innocentNames.has(algorithm))),
    '',
    ...savings(files),
    '',
    '## Broken variants',
    '',
    ...modelTable(files.filter(({ algorithm }) => broken.has(algorithm))),
    '',
    '## Variants that hold',
    '',
    'Rules that were suspected ([errata](errata.md#suspects-that-turned-out-innocent)).',
    '',
    ...modelTable(files.filter(({ algorithm }) => innocentNames.has(algorithm))),
    '',
  ].join('\n')
}

/** Models that were checked both ways. */
function savings(files: readonly ModelFile[]): string[] {
  const heads = ['check', 'states', 'reduced', 'of them', 'transitions', 'reduced', 'of them']
  const rows = files.flatMap(({ algorithm, models }) =>
    models.flatMap((model) => {
      const { reduced, expected, ...world } = model
      const full = models.find((other) => isSameWorld(other, world))?.expected
      if (reduced !== true || expected === undefined || full === undefined) return []
      const cells = (['states', 'transitions'] as const).flatMap((what) => [
        number(full[what]),
        number(expected[what]),
        `${Math.round((100 * expected[what]) / full[what])} %`,
      ])
      return [[`\`${commandFor(algorithm, model)}\``, ...cells]]
    }),
  )
  return [
    '## What a reduction saves',
    '',
    'Often the order of two steps makes no difference. `--reduce` then explores one order. In a world it explores the steps of one node alone if',
    'no other node can send that node a message that it could receive before its next step. Its steps and those of the others can then be swapped.',
    '[reduction.ts](../packages/checker/src/reduction.ts) has the argument (persistent sets).',
    '',
    'A reduction saves most with FIFO channels, because a message waits there behind the one before it. It saves little where every node may ask',
    'at any time and channels keep no order. It leaves out runs, so starvation, `can-enter` and costs need the full search. To look ahead takes',
    'time, so it saves memory and not time: `npx turnwise check lamport --only exclusion` takes 4.3 s and 281 MB, with `--reduce` 6.8 s and 177 MB.',
    '',
    ...[heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
  ]
}

function isSameWorld(one: Model, other: Omit<Model, 'expected' | 'reduced'>): boolean {
  return JSON.stringify({ ...one, expected: undefined }) === JSON.stringify(other)
}

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 3 })

/** The worlds that were checked, one row for each. */
export function modelTable(files: readonly ModelFile[]): string[] {
  const heads = ['check', 'result', 'states', 'transitions', 'depth', 'messages per entry', 'overtaken']
  const rows = files.flatMap(({ algorithm, models }) => models.map((model) => row(algorithm, model)))
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

function limitsText({ fencesUpTo, within }: Expected): string {
  if (within !== undefined)
    return ` with at most ${within === 1 ? '1 message' : `${within} messages`} in a channel`
  return fencesUpTo === undefined ? '' : ` (fences up to ${fencesUpTo} requests)`
}

function row(algorithm: string, model: Model): string[] {
  const { expected } = model
  if (expected === undefined)
    throw new Error(`a model of ${algorithm} has no record: npm run check:all -- --update`)
  const { fails, length, messagesPerEntry, maxOvertaking } = expected
  const messages =
    messagesPerEntry === undefined || messagesPerEntry === null
      ? ''
      : messagesPerEntry.min === messagesPerEntry.max
        ? number(messagesPerEntry.min)
        : `${number(messagesPerEntry.min)} to ${messagesPerEntry.max === null ? '∞' : number(messagesPerEntry.max)}`
  return [
    `\`${commandFor(algorithm, model)}\``,
    fails === undefined ? `holds${limitsText(expected)}` : `**${fails}** fails after ${length} steps`,
    number(expected.states),
    number(expected.transitions),
    String(expected.depth),
    messages,
    maxOvertaking === undefined ? '' : maxOvertaking === null ? '∞' : String(maxOvertaking),
  ]
}

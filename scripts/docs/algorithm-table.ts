import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm, AnyElection } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { proofOf } from '@turnwise/proof/proofs'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { electionConfig } from '@turnwise/simulator/election-configuration'
import { electionReport } from '@turnwise/simulator/election-report'
import { ElectionSimulation } from '@turnwise/simulator/election-simulation'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { type Model, modelFiles } from '../models.ts'

const MEASURED_NODES = 13
const ENTRIES = 2000

/** The table of `docs/algorithms.md`: facts, what was measured, what was checked. */
export function algorithmTable(): string {
  const heads = [
    'algorithm',
    'year',
    'family',
    'channels',
    'topology',
    'messages per entry',
    'light',
    'heavy',
    'checked',
    'proved',
  ]
  const rows = catalogue.map((algorithm) => {
    const { name, family, year, channels, topology, messages } = algorithm.facts
    return [
      `[${name}](../packages/algorithms/src/${family}/${name}.ts)`,
      year,
      family,
      channels,
      topology,
      messages.formula,
      measured(algorithm, 'light'),
      measured(algorithm, 'heavy'),
      checked(algorithm),
      proofOf(name) === undefined ? '' : '[any n](proofs.md)',
    ]
  })
  return [
    ...markdownTable(heads, rows),
    '',
    `Light and heavy: measured messages per entry with ${MEASURED_NODES} nodes (\`npx turnwise compare --nodes ` +
      `${MEASURED_NODES} --entries ${ENTRIES} --load light --load heavy\`). Checked: the largest world of which every state ` +
      'was visited, for runs of any length or so many requests of each node ([all models](models.md)). Proved: exclusion, for any number of nodes ' +
      'and runs of any length, under [these assumptions](proofs.md).',
  ].join('\n')
}

function measured(algorithm: AnyAlgorithm, load: string): string {
  const config = simulationConfig(algorithm, { nodes: MEASURED_NODES, entries: ENTRIES, load })
  const { messages, violations, unserved } = reportOf(new Simulation(config).runToEnd())
  const held = violations.length === 0 && unserved === 0
  // An algorithm that is known to fail must hold if all nodes ask, and only then.
  if (!held && load === 'light' && algorithm.facts.knownToFail !== undefined) return 'fails'
  if (!held) throw new Error(`${algorithm.facts.name} does not hold at ${load} load`)
  return String(Number((messages.perEntry ?? 0).toFixed(2)))
}

function checked({ facts: { name, knownToFail } }: AnyAlgorithm): string {
  if (knownToFail !== undefined) return `${knownToFail.property} fails, as published`
  const models = modelFiles().find(({ algorithm }) => algorithm === name)?.models ?? []
  // As in the other columns: the algorithm with its defaults, on the channels it needs.
  const held = models.filter(
    ({ expected, channels, set }) =>
      expected !== undefined && expected.fails === undefined && channels === undefined && set === undefined,
  )
  const largest = get(
    held.toSorted((a, b) => (b.expected?.states ?? 0) - (a.expected?.states ?? 0)),
    0,
  )
  return worldOf(largest, 'request')
}

/** The budgets of a model, each with one and several of what it counts. */
const TROUBLES = [
  ['drops', 'message lost', 'messages lost'],
  ['duplicates', 'message twice', 'messages twice'],
  ['crashes', 'crash', 'crashes'],
  ['suspicions', 'suspicion', 'suspicions'],
  ['restarts', 'restart', 'restarts'],
  ['unlinks', 'channel fails', 'channels fail'],
  ['links', 'channel is new', 'channels are new'],
  ['joins', 'joins', 'join'],
  ['leaves', 'leaves', 'leave'],
] as const

function worldOf(model: Model, wish: 'request' | 'call'): string {
  const { nodes, requests, expected, topology, quorum, structure, resources, dead } = model
  const length = requests === 'any' ? 'any length' : `${requests} ${wish}${requests === 1 ? '' : 's'}`
  const extras = [
    topology,
    quorum,
    structure,
    resources === undefined ? undefined : `${resources} resources`,
    length,
    ...TROUBLES.map(([kind, one, many]) => {
      const most = model[kind]
      return most === undefined ? undefined : `${most} ${most === 1 ? one : many}`
    }),
    dead === undefined ? undefined : `${dead} dead`,
  ]
  const world = extras.filter((word) => word !== undefined).map((word) => `, ${word}`)
  return `n = ${nodes}${world.join('')}: ${expected?.states.toLocaleString('en-US')} states`
}

const ELECTION_SEEDS = 200

/** The elections: messages when one drawn node calls and when all do, the highest being dead. */
export function electionTable(): string {
  const heads = ['election', 'year', 'channels', 'topology', 'messages', 'one calls', 'all call', 'checked']
  const rows = elections.map((election) => {
    const { name, year, channels, topology, messages } = election.facts
    const models = modelFiles().find(({ algorithm }) => algorithm === name)?.models ?? []
    const held = models.filter(({ expected, channels: other }) => expected?.fails === undefined && !other)
    const largest = get(
      held.toSorted((a, b) => (b.expected?.states ?? 0) - (a.expected?.states ?? 0)),
      0,
    )
    return [
      `[${name}](../packages/algorithms/src/election/${name}.ts)`,
      year,
      channels,
      topology,
      messages.formula,
      elected(election, 'one'),
      elected(election, 'all'),
      worldOf(largest, 'call'),
    ]
  })
  return [
    ...markdownTable(heads, rows),
    '',
    `Messages per election with ${MEASURED_NODES} nodes of which the highest is dead, the mean of ${ELECTION_SEEDS} seeds ` +
      `(\`npx turnwise elect bully --nodes ${MEASURED_NODES}\`, \`--initiators all\`).`,
  ].join('\n')
}

function elected(election: AnyElection, initiators: string): string {
  let messages = 0
  for (let seed = 1; seed <= ELECTION_SEEDS; seed += 1) {
    const config = electionConfig(election, { nodes: MEASURED_NODES, initiators, seed })
    const report = electionReport(new ElectionSimulation(config).runToEnd())
    if (report.violations.length > 0)
      throw new Error(`${election.facts.name} does not hold with seed ${seed}`)
    messages += report.messages.total
  }
  return String(Number((messages / ELECTION_SEEDS).toFixed(2)))
}

/** A bar within a cell would end it. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] {
  return [heads, heads.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`,
  )
}

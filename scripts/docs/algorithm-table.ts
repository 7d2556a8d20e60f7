import { catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { modelFiles } from '../models.ts'

const MEASURED_NODES = 13
const ENTRIES = 2000

/** The README's table: facts, what was measured, what was checked. */
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
  ]
  const rows = catalogue.map((algorithm) => {
    const { name, family, year, channels, topology, messages } = algorithm.facts
    return [
      `[${name}](packages/algorithms/src/${family}/${name}.ts)`,
      year,
      family,
      channels,
      topology,
      messages.formula,
      measured(algorithm, 'light'),
      measured(algorithm, 'heavy'),
      checked(algorithm),
    ]
  })
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [
    ...lines,
    '',
    `Light and heavy: measured messages per entry with ${MEASURED_NODES} nodes (\`npx turnwise compare --nodes ` +
      `${MEASURED_NODES} --entries ${ENTRIES} --load light --load heavy\`). Checked: the largest world of which every state ` +
      'was visited, for runs of any length or so many requests of each node ([all models](docs/models.md)).',
  ].join('\n')
}

function measured(algorithm: AnyAlgorithm, load: string): string {
  const config = simulationConfig(algorithm, { nodes: MEASURED_NODES, entries: ENTRIES, load })
  const { messages, violations, unserved } = reportOf(new Simulation(config).runToEnd())
  const held = violations.length === 0 && unserved === 0
  // One that is known to fail must hold where everyone asks, and only there.
  if (!held && load === 'light' && algorithm.facts.knownToFail !== undefined) return 'fails'
  if (!held) throw new Error(`${algorithm.facts.name} does not hold at ${load} load`)
  return String(Number((messages.perEntry ?? 0).toFixed(2)))
}

function checked({ facts: { name, knownToFail } }: AnyAlgorithm): string {
  if (knownToFail !== undefined) return `${knownToFail.property} fails, as published`
  const models = modelFiles().find(({ algorithm }) => algorithm === name)?.models ?? []
  // What the other columns say: the algorithm as it comes, on the channels it needs.
  const held = models.filter(
    ({ expected, channels, set }) =>
      expected !== undefined && expected.fails === undefined && channels === undefined && set === undefined,
  )
  const largest = held.toSorted((a, b) => (b.expected?.states ?? 0) - (a.expected?.states ?? 0))[0]
  const { nodes, requests, expected, topology, quorum, structure } = largest
  const length = requests === 'any' ? 'any length' : `${requests} ${requests === 1 ? 'request' : 'requests'}`
  const world = [topology, quorum, structure].filter((word) => word !== undefined).map((word) => `, ${word}`)
  return `n = ${nodes}${world.join('')}, ${length}: ${expected?.states.toLocaleString('en-US')} states`
}

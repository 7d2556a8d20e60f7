/** Messages per entry as a formula says and as the simulator counts, with many nodes. */
import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'

export const SIZES = [10, 1000, 1_000_000]

export interface Measured {
  readonly algorithm: string
  readonly nodes: number
  readonly entries: number
  readonly set: readonly string[]
  /** By the formula, on average; null where it knows only bounds. */
  readonly formula: number | null
  /** By the simulator; null where so many nodes are too many for it. */
  readonly simulated: number | null
}

/** `most`: with more nodes only the formula is asked. Its nodes know all others, or every entry asks all. */
const ROWS: readonly { readonly algorithm: string; readonly most: number; readonly zones?: true }[] = [
  { algorithm: 'central-coordinator', most: 1_000_000 },
  { algorithm: 'token-queue', most: 1_000_000 },
  { algorithm: 'raymond', most: 1_000_000 },
  { algorithm: 'composed', most: 1_000_000, zones: true },
  { algorithm: 'maekawa', most: 1000 },
  { algorithm: 'suzuki-kasami', most: 1000 },
  { algorithm: 'ricart-agrawala', most: 1000 },
]

/** So many nodes, in as many zones as a zone has nodes. */
function settings(zones: true | undefined, nodes: number): readonly string[] {
  return zones === undefined ? [] : [`zones=${Math.round(Math.sqrt(nodes))}`, 'inner=raymond']
}

/** Light load: one request at a time. A token that finds short ways needs a while, so each node enters ten times. Where all are asked, a few entries tell. */
function entriesOf(nodes: number, most: number): number {
  if (nodes > 1000) return 100_000
  return nodes === most ? 200 : 10 * Math.max(100, nodes)
}

export function* measuredWith(sizes: readonly number[]): Generator<Measured> {
  for (const { algorithm, most, zones } of ROWS) {
    for (const nodes of sizes)
      yield measure(
        { algorithm, nodes, entries: entriesOf(nodes, most), set: settings(zones, nodes) },
        nodes <= most,
      )
  }
}

function measure(run: Omit<Measured, 'formula' | 'simulated'>, isSimulated: boolean): Measured {
  const { algorithm: name, nodes, entries, set } = run
  if (!isSimulated) return { ...run, formula: formulaAlone(name, nodes), simulated: null }
  const algorithm = algorithmNamed(name)
  const config = simulationConfig(algorithm, { nodes, entries, set })
  const report = reportOf(new Simulation(config).runToEnd())
  if (report.violations.length > 0 || report.unserved > 0) throw new Error(`${name} does not hold`)
  return {
    ...run,
    formula: algorithm.facts.messages.light(config.setup).mean,
    simulated: report.messages.perEntry,
  }
}

/** For sizes that are not set up, because they would not fit: the formulas of docs/algorithms.md by the number of nodes. */
function formulaAlone(name: string, nodes: number): number {
  switch (name) {
    case 'maekawa':
      // Of a grid: 2√n - 1 nodes are asked, the asking one among them.
      return 3 * (2 * Math.sqrt(nodes) - 2)
    case 'suzuki-kasami':
      return nodes - 1
    case 'ricart-agrawala':
      return 2 * (nodes - 1)
    default:
      throw new Error(`${name} has no formula by the number of nodes alone`)
  }
}

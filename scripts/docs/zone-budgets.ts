import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { drawCharts } from '@turnwise/lab/chart/draw-charts'
import type { Panel, Point } from '@turnwise/lab/chart/figure'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { markdownTable } from './algorithm-table.ts'
import { inBothSchemes } from './schemes.ts'

const NODES = 9
const ZONES = 3
const BUDGETS = [1, 5, 10, 20, 50, 100]
const WISHES = { nodes: NODES, load: 'heavy', entries: 3000, warmup: 500, latency: 'three-continents' }

const SET = [`zones=${ZONES}`, 'inner=token-queue', 'outer=token-queue']

interface Measured {
  readonly name: string
  readonly budget: number | null
  /** Entries a second. */
  readonly throughput: number
  readonly messages: number
  /** Milliseconds, by zone. */
  readonly p99: readonly number[]
  readonly overtaken: number
  readonly bound: string
}

let known: readonly Measured[] | null = null

/** The default of a mesh without zones, and each budget. The table and the chart show the same runs. */
function allMeasured(): readonly Measured[] {
  known ??= [
    measured('token-queue', [], null, ''),
    // A budget of one turn is the head of the line: the same as without zones.
    ...BUDGETS.slice(1).map((budget) => {
      const passes = ZONES * budget
      const own = [`zones=${ZONES}`, `localTurns=${budget}`, `passes=${passes}`]
      return measured('token-queue', own, budget, `${NODES - 1 + passes} overtake`)
    }),
    ...BUDGETS.map((budget) =>
      measured('composed', [...SET, `localTurns=${budget}`], budget, `${budget - 1 + NODES / ZONES} turns`),
    ),
  ]
  return known
}

/** What a budget of turns within a zone gains and costs, beside the default algorithm of a mesh without zones. */
export function zoneBudgetTable(): string {
  const heads = ['', 'budget', 'entries a second', 'messages', 'p99 by zone, ms', 'overtaken', 'bound']
  const { nodes, entries, warmup, latency } = WISHES
  const command = `npx turnwise compare token-queue --nodes ${nodes} --load heavy --entries ${entries} --warmup ${warmup} --latency ${latency}`
  const composed = SET.map((setting) => ` --set ${setting}`).join('')
  return [
    ...markdownTable(heads, allMeasured().map(row)),
    '',
    `All ${nodes} nodes ask again and again, three on each continent (\`${command}\`; with a budget of B turns: \`… --set zones=${ZONES} --set localTurns=B --set passes=P\`, where P is ${ZONES}B; composed: \`compare composed …${composed} --set localTurns=B\`). ` +
      'p99: 99 of 100 requests waited at most so long. Overtaken: how many later requests went before an earlier one, at most. The bound: how many entries overtake ' +
      'a request in the line of the token, n-1+passes; and how many turns a zone of composed takes while another waits.',
  ].join('\n')
}

/** The same as a curve: what more entries cost the others. */
export function zoneBudgetChart(): string {
  const all = allMeasured()
  const panel = (title: string, xLabel: string, of: (each: Measured) => number): Panel => {
    const points = (some: readonly Measured[]): Point[] =>
      some.map((each) => ({ x: of(each), y: each.throughput }))
    const alone = all.filter(({ budget }) => budget === null)
    const zoned = (name: string) => all.filter((each) => each.budget !== null && each.name === name)
    return {
      title,
      xLabel,
      yLabel: 'entries a second',
      series: [
        {
          name: `composed, budget ${BUDGETS.join(', ')}`,
          colourIndex: 0,
          points: points(zoned('composed')),
        },
        {
          name: `token-queue, no zones, then budget ${BUDGETS.slice(1).join(', ')}`,
          colourIndex: 1,
          points: points([...alone, ...zoned('token-queue')]),
        },
      ],
    }
  }
  return inBothSchemes(
    drawCharts({
      title: 'Throughput against fairness',
      subtitle: `${WISHES.nodes} nodes on three continents, all ask again and again`,
      panels: [
        panel('Order', 'later requests that went first, at most', ({ overtaken }) => overtaken),
        panel('Waiting', '99 of 100 wait at most (ms)', ({ p99 }) => Math.round(Math.max(...p99))),
      ],
    }),
  )
}

function measured(name: string, set: readonly string[], budget: number | null, bound: string): Measured {
  const report = reportOf(
    new Simulation(simulationConfig(algorithmNamed(name), { ...WISHES, set })).runToEnd(),
  )
  if (report.violations.length > 0 || report.unserved > 0) throw new Error(`${name} does not hold`)
  return {
    name,
    budget,
    throughput: 1000 * (report.throughput ?? 0),
    messages: report.messages.perEntry ?? 0,
    p99: report.byZone.map(({ responseTime }) => responseTime?.p99 ?? 0),
    overtaken: report.fairness.maxBypass,
    bound,
  }
}

function row({ name, budget, throughput, messages, p99, overtaken, bound }: Measured): (string | number)[] {
  return [
    name,
    budget ?? '',
    Math.round(throughput),
    messages.toFixed(2),
    p99.map(Math.round).join(', '),
    overtaken,
    bound,
  ]
}

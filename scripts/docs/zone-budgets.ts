import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { markdownTable } from './algorithm-table.ts'

const NODES = 9
const ZONES = 3
const BUDGETS = [1, 5, 10, 20, 50, 100]
const WISHES = { nodes: NODES, load: 'heavy', entries: 3000, warmup: 500, latency: 'three-continents' }

/** What a budget of turns within a zone gains and costs, beside the default algorithm of a mesh without zones. */
export function zoneBudgetTable(): string {
  const heads = [
    '',
    'budget',
    'entries a second',
    'messages',
    'p99 by zone, ms',
    'overtaken',
    'bound of a turn of a zone',
  ]
  const set = [`zones=${ZONES}`, 'inner=token-queue', 'outer=token-queue']
  const rows = [
    row('token-queue', [], null),
    ...BUDGETS.map((budget) => row('composed', [...set, `localTurns=${budget}`], budget)),
  ]
  const { nodes, entries, warmup, latency } = WISHES
  const command = `npx turnwise compare token-queue --nodes ${nodes} --load heavy --entries ${entries} --warmup ${warmup} --latency ${latency}`
  const composed = set.map((setting) => ` --set ${setting}`).join('')
  return [
    ...markdownTable(heads, rows),
    '',
    `All ${nodes} nodes ask again and again, three on each continent (\`${command}\`; the others: \`compare composed …${composed} --set localTurns=B\`). ` +
      'p99: 99 of 100 requests waited at most so long. Overtaken: how many later requests went before an earlier one, at most. The bound is the number of ' +
      'turns that a zone takes while another waits.',
  ].join('\n')
}

function row(name: string, set: readonly string[], budget: number | null): (string | number)[] {
  const report = reportOf(
    new Simulation(simulationConfig(algorithmNamed(name), { ...WISHES, set })).runToEnd(),
  )
  if (report.violations.length > 0 || report.unserved > 0) throw new Error(`${name} does not hold`)
  return [
    name,
    budget ?? '',
    Math.round(1000 * (report.throughput ?? 0)),
    (report.messages.perEntry ?? 0).toFixed(2),
    report.byZone.map(({ responseTime }) => Math.round(responseTime?.p99 ?? 0)).join(', '),
    report.fairness.maxBypass,
    budget === null ? '' : budget - 1 + NODES / ZONES,
  ]
}

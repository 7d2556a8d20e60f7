import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { type Report, reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { markdownTable } from './algorithm-table.ts'

const WAYS = ['ordered-resources', 'bouabdallah-laforest'].map(algorithmNamed)
/** One lock for all resources, with the default algorithm of a mesh. */
const ONE_LOCK = [algorithmNamed('token-queue')]
const RESOURCES = 16
const ENTRIES = 300

/** The two ways to take several resources, at several overlaps, each cell with the ordered way first; and one lock for all. */
export function severalResourcesTable(): string {
  const heads = [
    'nodes',
    `take of ${RESOURCES}`,
    'messages, light',
    'response, light',
    'messages, heavy',
    'response, heavy',
    'inside, heavy',
    'response, long stays',
    'inside, long stays',
  ]
  const rows = [4, 8, 16].flatMap((nodes) => [
    ...[1, 2, 4, 8].map((take) => row(nodes, take)),
    row(nodes, null),
  ])
  const command = `npx turnwise compare --resources ${RESOURCES} --take 4 --nodes 4,8,16 --entries ${ENTRIES}`
  return [
    ...markdownTable(heads, rows),
    '',
    `Each cell: ordered-resources, then bouabdallah-laforest. Messages per entry, mean response time in message delays, and how many are ` +
      `inside at a time (\`${command} --load light --load heavy\`; long stays: \`--load heavy --inside constant:10\`, else 1). ` +
      `One lock: token-queue, whatever is taken (\`npx turnwise compare token-queue --nodes 4,8,16 --entries ${ENTRIES} --load light --load heavy\`).`,
  ].join('\n')
}

/** TAKE is null for one lock. */
function row(nodes: number, take: number | null): (string | number)[] {
  const light = measured({ nodes, take, load: 'light' })
  const heavy = measured({ nodes, take, load: 'heavy' })
  const long = measured({ nodes, take, load: 'heavy', inside: 'constant:10' })
  return [
    nodes,
    take ?? 'one lock',
    light(messages),
    light(response),
    heavy(messages),
    heavy(response),
    heavy(inside),
    long(response),
    long(inside),
  ]
}

const messages = (report: Report) => report.messages.perEntry
const response = ({ responseTime }: Report) => responseTime?.mean ?? null
const inside = ({ meanInside }: Report) => meanInside

/** Both ways, or one lock, under the same load: tells a figure of each. */
function measured({
  take,
  ...wishes
}: {
  nodes: number
  take: number | null
  load: string
  inside?: string
}) {
  const several = take === null ? {} : { take, resources: RESOURCES }
  const reports = (take === null ? ONE_LOCK : WAYS).map((way) => {
    const config = simulationConfig(way, { ...wishes, ...several, entries: ENTRIES })
    const report = reportOf(new Simulation(config).runToEnd())
    if (report.violations.length > 0 || report.unserved > 0)
      throw new Error(`${way.facts.name} does not hold with ${JSON.stringify(wishes)}`)
    return report
  })
  return (figure: (report: Report) => number | null) => {
    const texts = reports.map((report) => {
      const value = figure(report) ?? 0
      return value.toFixed(value < 10 ? 2 : 1)
    })
    return texts.join(' / ')
  }
}

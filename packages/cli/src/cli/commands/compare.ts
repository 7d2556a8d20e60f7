import { catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { comparisonFigure } from '@turnwise/lab/chart/comparison-figure'
import { drawCharts } from '@turnwise/lab/chart/draw-charts'
import { DEFAULT_NODES } from '@turnwise/simulator/configuration'
import { type Command, Option } from 'commander'
import { given, writable, writeText } from '../../terminal/input.ts'
import { Progress } from '../../terminal/progress.ts'
import { table } from '../../terminal/table.ts'
import { counted, figure, type Terminal } from '../../terminal/terminal.ts'
import { soundAlgorithmNamed } from '../algorithm-names.ts'
import { perSecond, warnings } from '../reporters/run-report.ts'
import { addRunOptions, collect, type PreparedRun, prepareRun, type RunOptions } from '../run-options.ts'
import { run, type TimedReport } from '../timed-run.ts'

interface CompareOptions extends RunOptions {
  readonly load: readonly string[]
  readonly plot?: string
  readonly json?: true
}

export function addCompare(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const command = program
    .command('compare')
    .summary('measure algorithms side by side')
    .description('Runs several algorithms under the same load and seed and shows their costs side by side.')
    .argument('[algorithms...]', 'names that `turnwise algorithms` lists (default: all)')
    .option('--nodes <counts>', `one or more numbers of nodes, such as 5,10,20 (default: ${DEFAULT_NODES})`)
    .addOption(
      new Option('--load <load>', 'light, heavy, poisson:RATE, closed:THINK, hot:W0,W1,…; may be repeated')
        .argParser(collect)
        .default([], 'light'),
    )
  addRunOptions(command)
    .option('--plot <file>', 'draw messages, response time, delay and fairness against nodes or load, as SVG')
    .option('--json', 'print all reports as JSON')
    .addHelpText('after', HELP)
    .action((names: readonly string[], options: CompareOptions) => {
      const { plot } = options
      const runs = prepareAll(names, options)
      if (plot !== undefined) given('--plot', plot, () => writable(plot))
      for (const note of new Set(runs.flatMap(({ notes }) => notes))) terminal.tell(note)
      const reports = runAll(runs, terminal)
      for (const report of reports) {
        const which = `${report.algorithm}, ${counted(report.nodes, 'node')}, ${report.load} load`
        for (const warning of warnings(report)) terminal.tell(`warning: ${which}: ${warning}`)
      }
      if (plot !== undefined) {
        given('--plot', plot, () => writeText(plot, drawCharts(comparisonFigure(reports))))
      }
      terminal.print(options.json ? JSON.stringify(reports, null, 2) : comparisonTable(reports, terminal))
      if (plot !== undefined) terminal.tell(`drawn: ${plot}`)
      exit(reports.every((report, index) => isAsKnown(report, get(runs, index))) ? 0 : 1)
    })
}

/** Nothing was violated, or only what the algorithm is known not to hold: that some wait for ever. */
function isAsKnown({ violations }: TimedReport, { config }: PreparedRun): boolean {
  const { knownToFail } = config.algorithm.facts
  return violations.every(({ judge }) => knownToFail !== undefined && judge === 'progress')
}

/** Reads everything before the first run, so that a mistake shows at once. */
function prepareAll(names: readonly string[], options: CompareOptions): PreparedRun[] {
  const algorithms: readonly AnyAlgorithm[] =
    names.length === 0
      ? defaultAlgorithms(options)
      : names.map((name) => given('ALGORITHM', name, () => soundAlgorithmNamed(name)))
  const sizes = options.nodes?.split(',') ?? [undefined]
  const loads = options.load.length === 0 ? ['light'] : options.load
  return algorithms.flatMap((algorithm) =>
    sizes.flatMap((nodes) => loads.map((load) => prepareRun(algorithm, options, nodes, load))),
  )
}

/** Where requests are for several resources, those that serve them. */
function defaultAlgorithms({ resources = '1' }: CompareOptions): readonly AnyAlgorithm[] {
  return resources === '1' ? catalogue : catalogue.filter(({ facts }) => facts.resources === true)
}

function runAll(runs: readonly PreparedRun[], terminal: Terminal): TimedReport[] {
  const progress = new Progress(terminal, 'comparing')
  const reports = runs.map(({ config }, done) => {
    const { name } = config.algorithm.facts
    const show = (share: number) =>
      progress.show((done + share) / runs.length, `${name} ${config.setup.nodes}`)
    show(0)
    return run(config, show)
  })
  progress.done()
  return reports
}

export function comparisonTable(reports: readonly TimedReport[], terminal: Terminal): string {
  const { paint } = terminal
  const hasResources = reports.some(({ resources }) => resources > 1)
  const hasZones = reports.some(({ byZone }) => byZone.length > 0)
  const rows = reports.map((report) => [
    report.algorithm,
    figure(report.nodes),
    report.load,
    figure(report.messages.perEntry),
    figure(report.predicted.perEntry.mean),
    figure(report.responseTime?.mean),
    figure(report.syncDelay?.mean),
    figure(report.fairness.jain),
    ...(hasResources ? [figure(report.meanInside)] : []),
    ...(hasZones
      ? [
          figure(perSecond(report.throughput)),
          report.byZone.map(({ responseTime }) => figure(responseTime?.p99)).join(', '),
          figure(report.fairness.maxBypass),
        ]
      : []),
    report.violations.length === 0
      ? paint.green('held')
      : paint.red(`violated: ${get(report.violations, 0).judge}`),
  ])
  const heads = [
    'algorithm',
    'nodes',
    'load',
    'messages/entry',
    'theory',
    'response',
    'sync delay',
    'fairness',
    ...(hasResources ? ['inside'] : []),
    ...(hasZones ? ['entries/s', 'p99 by zone', 'overtaken'] : []),
    'judges',
  ]
  return table(terminal, heads, rows)
}

const HELP = `
Time is in units. A message takes one unit, unless --latency says otherwise. With one-datacentre, three-zones and
three-continents a unit is a millisecond. The table then also shows entries per second, and for each zone the time
within which 99 of 100 requests were served.

Exit code: 0 no judge found a violation, except where an algorithm is known to starve nodes; 1 one did; 2 bad input.

Examples:
  turnwise compare --nodes 5,10,20 --load heavy --plot heavy.svg
  turnwise compare ricart-agrawala lamport --load light --load heavy --json
  turnwise compare --resources 16 --take 4 --nodes 4,8,16 --load heavy`

import { type TraceEvent, writeTraceLine } from '@turnwise/core/trace/trace'
import { DEFAULT_NODES } from '@turnwise/simulator/configuration'
import type { SimulationConfig } from '@turnwise/simulator/engine'
import { shrink } from '@turnwise/simulator/shrink'
import { Simulation } from '@turnwise/simulator/simulation'
import { traceHeader } from '@turnwise/simulator/trace-header'
import type { Command } from 'commander'
import { given, writable, writeText } from '../../terminal/input.ts'
import { Progress } from '../../terminal/progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { algorithmOrVariantNamed } from '../algorithm-names.ts'
import { reportText, warnings } from '../reporters/run-report.ts'
import { addRunOptions, prepareRun, type RunOptions } from '../run-options.ts'
import { recorder, run } from '../timed-run.ts'

interface SimulateOptions extends RunOptions {
  readonly load: string
  readonly trace?: string
  readonly shrink?: string
  readonly json?: true
}

export function addSimulate(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const command = program
    .command('simulate')
    .summary('run an algorithm in virtual time and judge it')
    .description(
      'Runs an algorithm in virtual time, judges the run and measures its cost. The same seed gives the same run.',
    )
    .argument('<algorithm>', 'a name that `turnwise algorithms` lists, or a broken variant')
    .option('--nodes <count>', `how many nodes, numbered from 0 (default: ${DEFAULT_NODES})`)
    .option('--load <load>', 'light, heavy, poisson:RATE, closed:THINK, hot:W0,W1,… or script:FILE', 'light')
  addRunOptions(command)
    .option('--trace <file>', 'record the run, for `turnwise replay`')
    .option('--shrink <file>', 'if a judge finds a violation: record a small run that has it too')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action((name: string, options: SimulateOptions) => {
      const { trace, shrink: small } = options
      const algorithm = given('ALGORITHM', name, () => algorithmOrVariantNamed(name))
      const prepared = prepareRun(algorithm, options, options.nodes, options.load)
      if (trace !== undefined) given('--trace', trace, () => writable(trace))
      if (small !== undefined) given('--shrink', small, () => writable(small))
      for (const note of prepared.notes) terminal.tell(note)
      const recording = trace === undefined ? null : recorder(prepared.config, traceHeader(prepared.config))
      const progress = new Progress(terminal, `simulating ${name}`)
      const report = run(recording?.config ?? prepared.config, (share) => progress.show(share))
      progress.done()
      if (trace !== undefined) given('--trace', trace, () => recording?.save(trace))
      for (const warning of warnings(report)) terminal.tell(`warning: ${warning}`)
      terminal.print(options.json ? JSON.stringify(report, null, 2) : reportText(report, terminal))
      if (trace !== undefined) terminal.tell(`recorded: turnwise replay ${trace}`)
      if (small !== undefined) terminal.tell(shrunk(prepared.config, small))
      exit(report.violations.length === 0 ? 0 : 1)
    })
}

/** Writes the small run, and tells how to see it; or why there is none. */
function shrunk(config: SimulationConfig, file: string): string {
  const small = shrink(config, untilViolation(config))
  if (typeof small === 'string') return `not shrunk: ${small}`
  const header = traceHeader(config)
  const lines = [
    { ...header, settings: { ...header.settings, shrunk: `from ${small.from} steps` } },
    ...small.events,
  ]
  given('--shrink', file, () => writeText(file, lines.map(writeTraceLine).join('')))
  return `shrunk from ${small.from} steps to ${small.to}: turnwise replay ${file}`
}

/** The same run once more: without --shrink nobody has to keep its events. */
function untilViolation(config: SimulationConfig): TraceEvent[] {
  const events: TraceEvent[] = []
  let isOver = false
  const record = (event: TraceEvent) => {
    if (!isOver) events.push(event)
    isOver ||= event.is === 'violation'
  }
  const simulation = new Simulation({ ...config, record })
  while (!isOver && !simulation.step(1000));
  return events
}

const HELP = `
Loads:
  light         one request at a time: when the network is silent, a node is drawn, and asks
  heavy         all nodes ask at once, and again as soon as they have left
  poisson:RATE  RATE requests per unit of time in the whole system, each at a random node
  closed:THINK  each node thinks (exponential with mean THINK, or a law), asks, leaves, thinks again
  hot:W0,W1,…   as light, but drawn by weight; the last weight stands for all further nodes
  script:FILE   lines of "TIME request NODE [shared] [priority P] [resources R,…]" and "TIME withdraw NODE"

Exit code: 0 no judge found a violation, 1 one did, 2 bad input.

Examples:
  turnwise simulate ricart-agrawala --nodes 9
  turnwise simulate raymond --nodes 1000 --load heavy --topology tree:3
  turnwise simulate lamport --channels unordered --latency exponential:1 --load heavy --nodes 3 --shrink run.jsonl
  turnwise simulate ricart-agrawala --set priority=20 --priorities 20=0.1 --load closed:12
  turnwise simulate bouabdallah-laforest --nodes 9 --resources 12 --take 3 --load heavy
  turnwise simulate suzuki-kasami --load heavy --fault crash:0@20 --trace run.jsonl`

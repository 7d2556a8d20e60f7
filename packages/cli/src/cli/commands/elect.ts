import type { AnyElection } from '@turnwise/core/algorithm'
import { FAULT_FORMS } from '@turnwise/core/faults'
import { wholeNumber } from '@turnwise/core/invalid-input'
import type { TraceHeader } from '@turnwise/core/trace/trace'
import { DEFAULT_NODES } from '@turnwise/simulator/configuration'
import { callsFrom, DEAD_FORMS, INITIATORS_FORMS } from '@turnwise/simulator/election-configuration'
import { electionReport } from '@turnwise/simulator/election-report'
import { type ElectionConfig, ElectionSimulation } from '@turnwise/simulator/election-simulation'
import { headerOf } from '@turnwise/simulator/trace-header'
import { type Command, Option } from 'commander'
import { given, writable } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { electionOrVariantNamed } from '../algorithm-names.ts'
import { electionText, electionWarnings } from '../reporters/election-report.ts'
import {
  channelsOption,
  collect,
  faultsOption,
  latencyOption,
  outsideAssumptions,
  worldFrom,
} from '../run-options.ts'
import { recorder } from '../timed-run.ts'

interface ElectOptions {
  readonly nodes?: string
  readonly initiators: string
  readonly dead: string
  readonly seed: string
  readonly latency: string
  readonly channels?: string
  readonly fault: readonly string[]
  readonly set: readonly string[]
  readonly trace?: string
  readonly json?: true
}

export function addElect(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const faults = Object.values(FAULT_FORMS).map(({ form }) => form)
  program
    .command('elect')
    .summary('hold an election in virtual time and judge it')
    .description(
      'Holds an election in virtual time: some nodes are dead, some call for a coordinator. Judges the result and ' +
        'counts its messages. The same seed gives the same run.',
    )
    .argument('<algorithm>', 'an election that `turnwise algorithms` lists, or a broken variant of one')
    .option('--nodes <count>', `how many nodes, numbered from 0 (default: ${DEFAULT_NODES})`)
    .option('--initiators <nodes>', `the nodes that call the election: ${INITIATORS_FORMS}`, 'one')
    .option('--dead <nodes>', `the nodes that are dead at the start: ${DEAD_FORMS}`, 'highest')
    .option('--latency <law>', 'constant:D, uniform:LOW,HIGH, exponential:MEAN or FILE.json', 'constant:1')
    .option('--channels <kind>', 'fifo or unordered (default: what the election needs)')
    .addOption(
      new Option('--fault <fault>', `may be repeated: ${faults.join(', ')}`)
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(
      new Option('--set <name=value>', 'an option of the election; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--seed <number>', 'the random seed', '1')
    .option('--trace <file>', 'record the run, for `turnwise replay`')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action((name: string, options: ElectOptions) => {
      const { trace } = options
      const algorithm = given('ALGORITHM', name, () => electionOrVariantNamed(name))
      const { config, notes } = prepareElection(algorithm, options)
      if (trace !== undefined) given('--trace', trace, () => writable(trace))
      for (const note of notes) terminal.tell(note)
      const recording = trace === undefined ? null : recorder(config, electionHeader(config, options))
      const started = performance.now()
      const simulation = new ElectionSimulation(recording?.config ?? config).runToEnd()
      const report = { ...electionReport(simulation), wallMs: Math.round(performance.now() - started) }
      if (trace !== undefined) given('--trace', trace, () => recording?.save(trace))
      for (const warning of electionWarnings(report)) terminal.tell(`warning: ${warning}`)
      terminal.print(options.json ? JSON.stringify(report, null, 2) : electionText(report, terminal))
      if (trace !== undefined) terminal.tell(`recorded: turnwise replay ${trace}`)
      exit(report.violations.length === 0 ? 0 : 1)
    })
}

function prepareElection(
  algorithm: AnyElection,
  options: ElectOptions,
): { config: ElectionConfig; notes: readonly string[] } {
  const seed = given('--seed', options.seed, () => wholeNumber(options.seed, 'a seed', 0))
  const { setup, notes } = worldFrom(algorithm, options, options.nodes, seed, { dead: options.dead })
  const { nodes, dead } = setup
  const config: ElectionConfig = {
    algorithm,
    setup,
    seed,
    calls: given('--initiators', options.initiators, () => callsFrom(options.initiators, nodes, dead, seed)),
    latency: latencyOption(options.latency, nodes),
    channels: channelsOption(options.channels) ?? algorithm.facts.channels,
    faults: faultsOption(options.fault, algorithm, setup),
  }
  return { config, notes: [...notes, ...outsideAssumptions(config)] }
}

function electionHeader(config: ElectionConfig, { initiators }: ElectOptions): TraceHeader {
  const { dead } = config.setup
  return headerOf(config, { initiators, ...(dead.length === 0 ? {} : { dead: dead.join(',') }) })
}

const HELP = `
Exit code: 0 no judge found a violation, 1 one did, 2 bad input.

Examples:
  turnwise elect bully --nodes 7 --initiators 3
  turnwise elect bully --nodes 7 --initiators 3 --fault crash:5@30
  turnwise elect ring-election --nodes 5 --initiators 0
  turnwise elect ring-election --nodes 20 --initiators all --json`

import type { Instance } from '@turnwise/checker/instance'
import { counterexample, type PropertyResult } from '@turnwise/checker/property'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { writeTraceLine } from '@turnwise/core/trace/trace'
import type { Command } from 'commander'
import { given, writable, writeText } from '../../terminal/input.ts'
import { Progress } from '../../terminal/progress.ts'
import { figure, type Terminal } from '../../terminal/terminal.ts'
import { addCheckOptions, type CheckOptions, instanceFrom } from '../check-options.ts'
import { CheckThread } from '../check-thread.ts'
import { errorIn, protocolFor } from '../own-file.ts'
import { checkJson, checkText, exitCodeOf } from '../reporters/check-report.ts'
import { type Exploration, explore } from '../threaded-search.ts'

interface CheckCommandOptions extends CheckOptions {
  readonly workers: string
  readonly trace?: string
  readonly json?: true
}

export function addCheck(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const command = program
    .command('check')
    .summary('explore every interleaving of a small world')
    .description(
      'Visits every state that a small world can reach, and decides for each property whether it holds. ' +
        'If one does not, it shows a shortest run that breaks it.',
    )
    .argument(
      '<algorithm>',
      'a name that `turnwise algorithms` lists, a broken variant, or a file of your own: ./mine.ts',
    )
  addCheckOptions(command)
    .option('--workers <count>', 'how many threads share the work, 1 or 2: the result is the same', '1')
    .option('--trace <file>', 'write the run that breaks a property, for `turnwise replay`')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (name: string, options: CheckCommandOptions) => {
      const { trace, workers } = options
      const algorithm = await protocolFor(name)
      const { instance, mostStates, notes } = instanceFrom(algorithm, options)
      const threads = given('--workers', workers, () => wholeNumber(workers, 'a number of threads', 1, 2))
      if (threads > 1 && options.reduce) throw new InvalidInput('--reduce and --workers 2 exclude each other')
      if (threads > 1 && options.settle) throw new InvalidInput('--settle and --workers 2 exclude each other')
      if (trace !== undefined) given('--trace', trace, () => writable(trace))
      const started = performance.now()
      const thread = threads === 1 ? null : new CheckThread(name, options)
      const { result, fences } = await exploreWatched(instance, mostStates, thread, notes, terminal).catch(
        async (error: unknown) => {
          throw await errorIn(name, error)
        },
      )
      const report = { instance, result, fences, wallMs: Math.round(performance.now() - started) }
      const failure = [...result.properties, fences].find((property) => (property?.trace ?? null) !== null)
      if (trace !== undefined) saveTrace(trace, instance, failure, terminal)
      terminal.print(options.json ? JSON.stringify(checkJson(report), null, 2) : checkText(report, terminal))
      exit(exitCodeOf(report))
    })
}

/** Shows progress and lets Ctrl-C end the search with what is known by then. */
async function exploreWatched(
  instance: Instance,
  mostStates: number,
  thread: CheckThread | null,
  notes: readonly string[],
  terminal: Terminal,
): Promise<Exploration> {
  const progress = new Progress(terminal, `checking ${instance.algorithm.facts.name}`)
  const started = performance.now()
  let interrupted = false
  const interrupt = () => {
    interrupted = true
  }
  process.once('SIGINT', interrupt)
  // A person who has read a note can rely on Ctrl-C.
  for (const note of notes) terminal.tell(note)
  try {
    return await explore(instance, mostStates, thread, (states) => {
      const rate = states / ((performance.now() - started) / 1000)
      progress.show(
        states / mostStates,
        `of the limit, ${figure(states)} states, ${figure(Math.round(rate))}/s`,
      )
      return !interrupted
    })
  } finally {
    thread?.stop()
    process.off('SIGINT', interrupt)
    progress.done()
  }
}

function saveTrace(
  path: string,
  instance: Instance,
  failure: PropertyResult | null | undefined,
  terminal: Terminal,
): void {
  const trace = failure ? counterexample(instance, failure) : null
  if (trace === null) return terminal.tell('no run breaks a property: no trace written')
  given('--trace', path, () => writeText(path, [trace.header, ...trace.events].map(writeTraceLine).join('')))
  terminal.tell(`recorded: turnwise replay ${path}`)
}

const HELP = `
Exit code: 0 all properties hold, 1 one fails, 2 bad input, 3 not decided: cut short, or left out by --clock, --room or --gaps.

An algorithm of your own is a file: turnwise check ./mine.ts. Its code runs with your rights.

Examples:
  turnwise check ricart-agrawala --requests any     complete for runs of any length
  turnwise check lamport --channels unordered       why Lamport's channels must keep order
  turnwise check maekawa-original --nodes 4 --quorum grid
  turnwise check suzuki-kasami --crashes 1 --only exclusion    is it safe, though it blocks?
  turnwise check lamport --clock 8 --requests any   all worlds in which no clock is above 8
  turnwise check suzuki-kasami --requests any --channels fifo --room 2    all worlds with two messages in a channel at most
  turnwise check carvalho-roucairol --requests any --gaps 2    its numbers drift apart for ever
  turnwise check lamport --reduce                   the same verdict on safety, with 2.5 times fewer states
  turnwise check suzuki-kasami --requests any --settle    complete: requests that were served long ago do not pile up
  turnwise check bully --dead 2 --crashes 1          an election, and one more crash
  turnwise check ricart-agrawala --nodes 4 --requests any --workers 2    two cores for two million states
  turnwise check raymond --nodes 4 --topology line --requests 2 --json`

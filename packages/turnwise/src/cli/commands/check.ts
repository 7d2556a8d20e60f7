import { setImmediate } from 'node:timers/promises'
import { Check, type CheckResult } from '@turnwise/checker/check'
import { FenceCheck } from '@turnwise/checker/fence-check'
import type { Instance } from '@turnwise/checker/instance'
import { counterexample, type PropertyResult } from '@turnwise/checker/property'
import { isElection } from '@turnwise/core/algorithm'
import { wholeNumber } from '@turnwise/core/invalid-input'
import { writeTraceLine } from '@turnwise/core/trace/trace'
import type { Command } from 'commander'
import { addCheckOptions, type CheckOptions, instanceFrom } from '../check-options.ts'
import { fencesInThread } from '../fence-thread.ts'
import { given, writable, writeText } from '../input.ts'
import { algorithmOrVariantNamed } from '../names.ts'
import { Progress } from '../progress.ts'
import { checkJson, checkText, exitCodeOf } from '../reporters/check-report.ts'
import { figure, type Terminal } from '../terminal.ts'

interface CheckCommandOptions extends CheckOptions {
  readonly workers: string
  readonly trace?: string
  readonly json?: true
}

/** How many states are expanded between two looks at the clock and the keyboard. */
const SLICE = 5_000

export function addCheck(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const command = program
    .command('check')
    .summary('explore every interleaving of a small world')
    .description(
      'Visits every state that a small world can reach, and decides for each property whether it holds; ' +
        'if not, it shows a shortest run that breaks it.',
    )
    .argument('<algorithm>', 'a name that `turnwise algorithms` lists, or a broken variant')
  addCheckOptions(command)
    .option('--workers <count>', '2 follows the fences in a second thread', '1')
    .option('--trace <file>', 'write the run that breaks a property, for `turnwise replay`')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (name: string, options: CheckCommandOptions) => {
      const { trace, workers } = options
      const algorithm = given('ALGORITHM', name, () => algorithmOrVariantNamed(name))
      const { instance, mostStates, notes } = instanceFrom(algorithm, options)
      const threads = given('--workers', workers, () => wholeNumber(workers, 'a number of threads', 1, 2))
      if (trace !== undefined) given('--trace', trace, () => writable(trace))
      const started = performance.now()
      const { result, fences } = await explore(
        instance,
        mostStates,
        threads === 2 ? { name, options } : null,
        notes,
        terminal,
      )
      const report = { instance, result, fences, wallMs: Math.round(performance.now() - started) }
      const failure = [...result.properties, fences].find((property) => (property?.trace ?? null) !== null)
      if (trace !== undefined) saveTrace(trace, instance, failure, terminal)
      terminal.print(options.json ? JSON.stringify(checkJson(report), null, 2) : checkText(report, terminal))
      exit(exitCodeOf(report))
    })
}

/** Explores in slices, so that progress can be shown and Ctrl-C ends it with what is known by then. */
async function explore(
  instance: Instance,
  mostStates: number,
  thread: { name: string; options: CheckOptions } | null,
  notes: readonly string[],
  terminal: Terminal,
): Promise<{ result: CheckResult; fences: PropertyResult | null }> {
  const progress = new Progress(terminal, `checking ${instance.algorithm.facts.name}`)
  const started = performance.now()
  const givesFences = !isElection(instance.algorithm)
  const inThread = thread === null || !givesFences ? null : fencesInThread(thread.name, thread.options)
  let interrupted = false
  const interrupt = () => {
    interrupted = true
    inThread?.stop()
  }
  process.once('SIGINT', interrupt)
  // Whoever has read a note can rely on Ctrl-C.
  for (const note of notes) terminal.tell(note)
  const check = new Check(instance, mostStates)
  const fences = givesFences ? new FenceCheck(instance, mostStates) : null
  const show = (states: number) => {
    const rate = states / ((performance.now() - started) / 1000)
    progress.show(
      states / mostStates,
      `of the limit, ${figure(states)} states, ${figure(Math.round(rate))}/s`,
    )
  }
  try {
    while (!check.run(SLICE)) {
      show(check.search.states)
      await setImmediate()
      if (interrupted) check.stop()
    }
    const { result } = check
    if (inThread !== null) {
      if (!result.complete) inThread.stop()
      return { result, fences: (result.complete ? await inThread.result : null) ?? fences?.result ?? null }
    }
    while (fences !== null && result.complete && !interrupted && !fences.run(SLICE)) {
      show(result.states + fences.states)
      await setImmediate()
    }
    return { result, fences: fences?.result ?? null }
  } finally {
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
Exit code: 0 all properties hold, 1 one fails, 2 bad input, 3 cut short before all states were visited.

Examples:
  turnwise check ricart-agrawala --requests any     complete for runs of any length
  turnwise check lamport --channels unordered       why Lamport's channels must keep order
  turnwise check maekawa-original --nodes 4 --quorum grid
  turnwise check raymond --nodes 4 --topology line --requests 2 --json`

import { readFileSync } from 'node:fs'
import { InvalidInput, invalid } from '@turnwise/core/invalid-input'
import { Command, CommanderError } from 'commander'
import { ThreadDied } from './check-thread.ts'
import { addAlgorithms } from './commands/algorithms.ts'
import { addCheck } from './commands/check.ts'
import { addCompare } from './commands/compare.ts'
import { addElect } from './commands/elect.ts'
import { addExplain } from './commands/explain.ts'
import { addKeys } from './commands/keys.ts'
import { addLock } from './commands/lock.ts'
import { addLocks } from './commands/locks.ts'
import { addMetrics } from './commands/metrics.ts'
import { addNode } from './commands/node.ts'
import { addQuorum } from './commands/quorum.ts'
import { addReplay } from './commands/replay.ts'
import { addSimulate } from './commands/simulate.ts'
import { addStatus } from './commands/status.ts'
import { addStructure } from './commands/structure.ts'
import { addDesign } from './commands/structure-design.ts'
import { addTorture } from './commands/torture.ts'
import { addTour } from './commands/tour.ts'
import { addUp } from './commands/up.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** The exit code of a failure that is ours, not the user's: what sysexits calls a software error. */
const BUG = 70

/** Runs the command line and returns its exit code: 0 held, 1 a violation was found, 2 bad usage or input, 3 cut short. */
export async function main(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let code = 0
  const program = buildProgram(terminal, (chosen) => {
    code = chosen
  })
  try {
    await program.parseAsync(helpAsked(program, args), { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof ThreadDied) {
      terminal.tell(`turnwise: ${oneLine(error.message)}`)
      return BUG
    }
    if (!(error instanceof InvalidInput)) {
      terminal.tell(
        `turnwise: this is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      )
      return BUG
    }
    terminal.tell(`turnwise: ${oneLine(error.message)}`)
    return 2
  }
}

function buildProgram(terminal: Terminal, exit: (code: number) => void): Command {
  const program = new Command('turnwise')
    .description(
      'Distributed mutual exclusion: the algorithms of the literature, simulated, judged and compared.',
    )
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.tell(text.trimEnd()),
      outputError: (text, write) => write(usageComplaint(text, 'turnwise')),
    })
  program.on('command:*', ([name]: string[]) => {
    throw invalid(name, `a command: ${program.commands.map((command) => command.name()).join(', ')}`)
  })
  addUp(program, terminal, exit)
  addTour(program, terminal)
  addAlgorithms(program, terminal)
  addExplain(program, terminal)
  addSimulate(program, terminal, exit)
  addElect(program, terminal, exit)
  addCompare(program, terminal, exit)
  addCheck(program, terminal, exit)
  addReplay(program, terminal, exit)
  addQuorum(program, terminal)
  addDesign(addStructure(program, terminal, exit), terminal, exit)
  addNode(program, terminal, exit)
  addLock(program, terminal, exit)
  addStatus(program, terminal, exit)
  addLocks(program, terminal, exit)
  addMetrics(program, terminal, exit)
  addKeys(program, terminal)
  addTorture(program, terminal, exit)
  for (const command of program.commands) {
    complainAs(command, `turnwise ${command.name()}`)
    for (const below of command.commands) complainAs(below, `turnwise ${command.name()} ${below.name()}`)
  }
  return program
}

/**
 * `help` of a command, also of one below another, is its `--help`. One that does not exist is refused: the parser
 * would print the help of all.
 */
function helpAsked(program: Command, args: readonly string[]): readonly string[] {
  const [first, ...path] = args
  if (first !== 'help' || path.length === 0) return args
  let at = program
  for (const name of path) {
    const found = at.commands.find((command) => command.name() === name)
    if (found === undefined) {
      const known = at.commands.map((command) => command.name())
      const allowed = known.length === 0 ? `, ${at.name()} has none below it` : `: ${known.join(', ')}`
      throw invalid(name, `a command${allowed}`)
    }
    at = found
  }
  return [...path, '--help']
}

function complainAs(command: Command, name: string): void {
  command.configureOutput({ outputError: (text, write) => write(usageComplaint(text, name)) })
}

/** The parser's own complaint as one line: it gives its suggestions lines of their own. */
function usageComplaint(text: string, command: string): string {
  const complaint = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replace('\n(Did', ' (did')
  return `turnwise: ${oneLine(complaint)}; ${command} --help tells more`
}

/** What is quoted from the input may hold line ends, but a complaint is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

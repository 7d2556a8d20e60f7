import { readFileSync } from 'node:fs'
import { InvalidInput, invalid } from '@turnwise/core/invalid-input'
import { Command, CommanderError } from 'commander'
import { processTerminal, type Terminal } from '../terminal/terminal.ts'
import { hostComplaint } from './host.ts'

/** Adds a command to a program, or makes the program one. */
export type Add = (program: Command, terminal: Terminal, exit: (code: number) => void) => void

/** By the heading in the help. Each is loaded when it is asked for: a command that takes a lock does not load the catalogue. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<Add>>>>> = {
  'Locks between processes:': {
    up: async () => (await import('./commands/up.ts')).addUp,
    lock: async () => (await import('./commands/lock.ts')).addLock,
    lead: async () => (await import('./commands/lock.ts')).addLead,
    status: async () => (await import('./commands/status.ts')).addStatus,
    locks: async () => (await import('./commands/locks.ts')).addLocks,
    node: async () => (await import('./commands/node.ts')).addNode,
    metrics: async () => (await import('./commands/metrics.ts')).addMetrics,
    keys: async () => (await import('./commands/keys.ts')).addKeys,
    audit: async () => (await import('./commands/audit.ts')).addAudit,
  },
  'Algorithms:': {
    tour: async () => (await import('./commands/tour.ts')).addTour,
    algorithms: async () => (await import('./commands/algorithms.ts')).addAlgorithms,
    explain: async () => (await import('./commands/explain.ts')).addExplain,
    simulate: async () => (await import('./commands/simulate.ts')).addSimulate,
    elect: async () => (await import('./commands/elect.ts')).addElect,
    compare: async () => (await import('./commands/compare.ts')).addCompare,
    check: async () => (await import('./commands/check.ts')).addCheck,
    exercise: async () => (await import('./commands/exercise.ts')).addExercise,
    grade: async () => (await import('./commands/grade.ts')).addGrade,
    prove: async () => (await import('./commands/prove.ts')).addProve,
    replay: async () => (await import('./commands/replay.ts')).addReplay,
    quorum: async () => (await import('./commands/quorum.ts')).addQuorum,
    structure: async () => {
      const [{ addStructure }, { addDesign }] = await Promise.all([
        import('./commands/structure.ts'),
        import('./commands/structure-design.ts'),
      ])
      return (program, terminal, exit) => addDesign(addStructure(program, terminal, exit), terminal, exit)
    },
  },
}

/** The exit code of a failure that is ours, not the user's: what sysexits calls a software error. */
const BUG = 70

/** Runs the command line and returns its exit code: 0 held, 1 a violation was found, 2 bad usage or input, 3 cut short. */
export async function main(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  const adds = await Promise.all(commandsFor(args).map((load) => load()))
  return run('turnwise', [describe, ...adds], args, terminal)
}

/** Runs a program of this name, which `adds` make. */
export async function run(
  name: string,
  adds: readonly Add[],
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  let code = 0
  const program = buildProgram(name, terminal, adds, (chosen) => {
    code = chosen
  })
  try {
    await program.parseAsync(helpAsked(program, args), { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    // By its name: the class would bring the checker with it.
    if (error instanceof Error && error.name === 'ThreadDied') {
      terminal.tell(`${name}: ${oneLine(error.message)}`)
      return BUG
    }
    if (!(error instanceof InvalidInput)) {
      terminal.tell(
        `${name}: this is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      )
      return BUG
    }
    terminal.tell(`${name}: ${oneLine(error.message)}`)
    return 2
  }
}

/** The commands that these words may need: the one that they name, or all, to list them. */
function commandsFor([first = '', second = '']: readonly string[]): readonly (() => Promise<Add>)[] {
  if (first === '--version') return []
  const name = first === 'help' ? second : first
  const isOne = Object.values(COMMANDS).some((commands) => Object.hasOwn(commands, name))
  return Object.entries(COMMANDS).flatMap(([heading, commands]) => [
    () => Promise.resolve((program) => void program.commandsGroup(heading)),
    ...Object.entries(commands).flatMap(([each, load]) => (isOne && each !== name ? [] : [load])),
  ])
}

function describe(program: Command): void {
  program
    .description(
      'Locks between processes without a lock server, and the algorithms behind them: simulated, checked and compared.',
    )
    .version(version(), '--version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
}

function buildProgram(
  name: string,
  terminal: Terminal,
  adds: readonly Add[],
  exit: (code: number) => void,
): Command {
  const program = new Command(name)
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.tell(text.trimEnd()),
      outputError: (text, write) => write(usageComplaint(text, name)),
    })
  program.hook('preAction', (_, command) => {
    const complaint = hostComplaint(command.name(), process)
    if (complaint !== null) throw new InvalidInput(complaint)
  })
  program.on('command:*', ([name = '']: string[]) => {
    throw invalid(name, `a command: ${program.commands.map((command) => command.name()).join(', ')}`)
  })
  for (const add of adds) add(program, terminal, exit)
  for (const command of program.commands) {
    complainAs(command, `${name} ${command.name()}`)
    for (const below of command.commands) complainAs(below, `${name} ${command.name()} ${below.name()}`)
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
  return `${command.split(' ')[0]}: ${oneLine(complaint)}; see ${command} --help`
}

/** What is quoted from the input may hold line ends, but a complaint is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

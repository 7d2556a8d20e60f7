import { readFileSync } from 'node:fs'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { Command, CommanderError } from 'commander'
import { addAlgorithms } from './commands/algorithms.ts'
import { addCompare } from './commands/compare.ts'
import { addExplain } from './commands/explain.ts'
import { addReplay } from './commands/replay.ts'
import { addSimulate } from './commands/simulate.ts'
import { addTour } from './commands/tour.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** Runs the command line and returns its exit code: 0 held, 1 a violation was found, 2 bad usage or input. */
export async function main(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let code = 0
  const program = buildProgram(terminal, (chosen) => {
    code = chosen
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof InvalidInput)) throw error
    terminal.tell(`turnwise: ${error.message}`)
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
    .showHelpAfterError('(--help tells more)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.tell(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'turnwise: ')),
    })
  program.action(() => {
    program.outputHelp()
    exit(2)
  })
  addTour(program, terminal)
  addAlgorithms(program, terminal)
  addExplain(program, terminal)
  addSimulate(program, terminal, exit)
  addCompare(program, terminal, exit)
  addReplay(program, terminal)
  for (const command of program.commands) command.copyInheritedSettings(program)
  return program
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

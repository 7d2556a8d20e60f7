import { constants } from 'node:os'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { StateDirectoryInUse } from '@turnwise/mesh/disk/state-directory'
import { type Command, Option } from 'commander'
import { NoDaemon } from '../../agent/client.ts'
import { readNodeConfig } from '../../agent/config.ts'
import { GuardedCommand } from '../../agent/guarded-command.ts'
import { type Hold, holdAsMember, holdThroughDaemon, NotHad, Unfit, type Wanted } from '../../agent/hold.ts'
import { lookUp } from '../../agent/process-group.ts'
import { SOCKET_OPTION, socketGiven } from '../daemon-options.ts'
import { duration } from '../duration.ts'
import { given } from '../input.ts'
import type { Terminal } from '../terminal.ts'

interface LockCommandOptions {
  readonly shared?: true
  readonly timeout?: string
  readonly config?: string
  readonly id?: string
  readonly socket?: string
}

const NOT_HAD = 75
const LOST = 76
const NOT_EXECUTABLE = 126
const NOT_FOUND = 127

export function addLock(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('lock')
    .summary('run a command while a lock is held')
    .description(
      'Runs a command while a lock is held: through the daemon of this machine (--socket), or as a member of the mesh ' +
        'for as long as the command runs (--config). TURNWISE_LOCK and TURNWISE_FENCE are in its environment.',
    )
    .argument('<name>', 'of the lock')
    .argument('[command...]', 'what to run, after --')
    .option('--shared', 'let others in who share')
    .option('--timeout <time>', 'how long to wait for the lock, such as 30s (default: no limit)')
    .option('--socket <path>', SOCKET_OPTION)
    .addOption(new Option('--config <file>', 'join as the node that this file describes').conflicts('socket'))
    .option('--id <name>', 'with --config: the name of the node, if the file has none')
    .addHelpText('after', HELP)
    .action(async (name: string, command: readonly string[], options: LockCommandOptions) => {
      const wanted = readWanted(name, options)
      if (command.length === 0) throw new InvalidInput('no command is given: turnwise lock NAME -- COMMAND …')
      const found = lookUp(command[0])
      if (found === 'found') exit(await runUnder(wanted, command, options, terminal))
      else {
        terminal.tell(`turnwise: "${command[0]}" cannot be run: it is ${found}`)
        exit(found === 'missing' ? NOT_FOUND : NOT_EXECUTABLE)
      }
    })
}

function readWanted(name: string, options: LockCommandOptions): Wanted {
  if (name.startsWith('-') || name === '' || name.length > 250) {
    const allowed = 'of a lock: 1 to 250 characters, and not "-" first'
    throw new InvalidInput(`"${name.slice(0, 40)}" is not the name ${allowed}`)
  }
  const { timeout, shared } = options
  return {
    name,
    mode: shared ? 'shared' : 'exclusive',
    timeout:
      timeout === undefined ? null : given('--timeout', timeout, () => duration(timeout, 'a time to wait')),
  }
}

async function runUnder(
  wanted: Wanted,
  command: readonly string[],
  options: LockCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const relay = new SignalRelay(terminal)
  try {
    const hold = await Promise.race([obtain(wanted, options, relay.waiting, terminal), relay.givenUp])
    if (typeof hold === 'number') return hold
    const env = { ...process.env, TURNWISE_LOCK: wanted.name, TURNWISE_FENCE: hold.fence }
    const guarded = new GuardedCommand(command, env, hold)
    relay.to((signal) => guarded.signal(signal))
    const outcome = await guarded.run()
    if (outcome.kind === 'ended') return outcome.code
    terminal.tell(`turnwise: "${wanted.name}" is lost, and the command was ended: ${outcome.reason}`)
    return LOST
  } catch (error) {
    const code = codeFor(error)
    if (code === null) throw error
    terminal.tell(`turnwise: ${(error as Error).message}`)
    return code
  } finally {
    relay.close()
  }
}

function codeFor(error: unknown): number | null {
  if (error instanceof NotHad || error instanceof NoDaemon || error instanceof StateDirectoryInUse)
    return NOT_HAD
  if (error instanceof Unfit) return 2
  // The system would not start it: the list of arguments is too long, for one.
  if (error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')) {
    return NOT_EXECUTABLE
  }
  return null
}

function obtain(
  wanted: Wanted,
  { socket, config, id }: LockCommandOptions,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<Hold> {
  if (config === undefined) return holdThroughDaemon(socketGiven(socket), wanted, signal)
  const node = given('--config', config, () => readNodeConfig(config, id))
  return holdAsMember(node, wanted, signal, (line) => terminal.tell(`turnwise: ${line}`))
}

const PASSED_ON = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
  'SIGCONT',
] as const
const ENDS_A_WAIT: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/** Signals are meant for the command; while there is none, those that end a program end the wait. */
class SignalRelay {
  readonly #abort = new AbortController()
  readonly #listeners: (() => void)[] = []
  #send: ((signal: NodeJS.Signals) => void) | null = null
  /** Resolves with the exit code when the wait was ended by a signal. */
  readonly givenUp: Promise<number>

  constructor(terminal: Terminal) {
    this.givenUp = new Promise((resolve) => {
      for (const signal of PASSED_ON) {
        this.#on(signal, () => {
          if (this.#send !== null) return this.#send(signal)
          if (!ENDS_A_WAIT.includes(signal)) return
          this.#abort.abort(new NotHad('given up'))
          resolve(128 + constants.signals[signal])
        })
      }
    })
    // Stopped, this program could end nothing in time.
    this.#on('SIGTSTP', () => terminal.tell('turnwise: a command that holds a lock is not stopped'))
  }

  #on(signal: NodeJS.Signals, hear: () => void): void {
    process.on(signal, hear)
    this.#listeners.push(() => process.off(signal, hear))
  }

  get waiting(): AbortSignal {
    return this.#abort.signal
  }

  to(send: (signal: NodeJS.Signals) => void): void {
    this.#send = send
  }

  close(): void {
    for (const off of this.#listeners) off()
  }
}

const HELP = `
Exit code: that of the command, or 128 and the number of the signal that ended it; 75 the lock was not had (time-out, no
quorum, no daemon), 76 it was lost and the command ended, 126 or 127 the command cannot be run, 2 bad input.

Examples:
  turnwise lock backup --timeout 30s --socket /run/turnwise/socket -- pg_dump -f dump.sql shop
  turnwise lock report --shared --config node.json -- sh -c 'make report FENCE=$TURNWISE_FENCE'`

/** Runs a command while a lock, a permit or a lead is held, and says how it went by its exit code. */
import { constants } from 'node:os'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Wanted } from '@turnwise/mesh/daemon/control-messages'
import { NoDaemonError } from '@turnwise/mesh/locks/errors'
import { GuardedCommand } from '../agent/guarded-command.ts'
import { type Hold, holdThroughDaemon, Unfit } from '../agent/hold.ts'
import { NotHad } from '../agent/obtain-wanted.ts'
import { lookUp } from '../agent/process-group.ts'
import { duration } from '../terminal/duration.ts'
import { given } from '../terminal/input.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { doorGiven, meshFrom, socketGiven, WAYS } from './daemon-options.ts'

/** Who is to hold it. */
export interface Holder {
  readonly at?: string
  readonly mesh?: string
  readonly lease?: string
  readonly config?: string
  readonly id?: string
  readonly socket?: string
  readonly door?: string
  readonly daemonWithin?: string
}

const NOT_HAD = 75
const LOST = 76
const NOT_EXECUTABLE = 126
const NOT_FOUND = 127

export function runUnder(
  wanted: Wanted,
  command: readonly string[],
  holder: Holder,
  terminal: Terminal,
): Promise<number> {
  const found = lookUp(get(command, 0))
  if (found === 'found') return runFound(wanted, command, holder, terminal)
  terminal.tell(`turnwise: "${command[0]}" cannot be run: ${found}`)
  return Promise.resolve(found === 'not found' ? NOT_FOUND : NOT_EXECUTABLE)
}

async function runFound(
  wanted: Wanted,
  command: readonly string[],
  holder: Holder,
  terminal: Terminal,
): Promise<number> {
  const relay = new SignalRelay(terminal)
  tellOfOuter(wanted, terminal)
  try {
    const hold = await Promise.race([obtain(wanted, holder, relay.waiting, terminal), relay.givenUp])
    if (typeof hold === 'number') return hold
    const env = { ...process.env, TURNWISE_LOCK: wanted.name, TURNWISE_FENCE: hold.fence, ...namesIn(wanted) }
    const guarded = new GuardedCommand(command, env, hold)
    relay.to((signal) => guarded.signal(signal))
    const outcome = await guarded.run()
    if (outcome.kind === 'ended') return outcome.code
    terminal.tell(`turnwise: "${wanted.name}" was lost and the command was ended: ${outcome.reason}`)
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

/** A script under a lock that runs another one under the same lock waits for itself, and nothing else would say so. */
function tellOfOuter({ what, name, how }: Wanted, terminal: Terminal): void {
  if (what !== 'lock' || how !== 'wait' || process.env['TURNWISE_LOCK'] !== name) return
  terminal.tell(
    `turnwise: this runs under "${name}" (TURNWISE_LOCK). If it is the same lock, it may wait for itself`,
  )
}

/** Of a group: the names that the command works on. */
function namesIn({ group }: Wanted): { readonly TURNWISE_NAMES?: string } {
  if (group === undefined) return {}
  return { TURNWISE_NAMES: group.resources.map((each) => group.names[each]).join() }
}

function codeFor(error: unknown): number | null {
  if (error instanceof NotHad || error instanceof NoDaemonError) return NOT_HAD
  if (error instanceof Unfit) return 2
  // The system would not start it: the list of arguments is too long, for one.
  if (error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')) {
    return NOT_EXECUTABLE
  }
  return null
}

async function obtain(
  wanted: Wanted,
  { at, mesh, lease, socket, config, id, door, daemonWithin: within }: Holder,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<Hold> {
  const log = (line: string) => terminal.tell(`turnwise: ${line}`)
  if (at !== undefined) {
    const named = mesh === undefined ? undefined : meshFrom(mesh)
    const { holdAt, leaseFrom } = await import('../agent/member-hold.ts')
    const own = lease === undefined ? undefined : given('--lease', lease, () => leaseFrom(lease))
    return holdAt(at, named, own, wanted, signal, log)
  }
  if (lease !== undefined) throw new InvalidInput('--lease needs --at')
  const wait =
    within === undefined ? 0 : given('--daemon-within', within, () => duration(within, 'a time to wait'))
  if (config === undefined) {
    const daemon = door === undefined ? socketGiven(socket, WAYS) : await doorGiven(door)
    return holdThroughDaemon(daemon, wanted, signal, wait)
  }
  // What a member needs takes a while to load, and a client of a daemon does without.
  const [{ readNodeConfig }, { holdAsMember }] = await Promise.all([
    import('../agent/config.ts'),
    import('../agent/member-hold.ts'),
  ])
  const node = given('--config', config, () => readNodeConfig(config, id))
  return holdAsMember(node, wanted, signal, log)
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
    this.#on('SIGTSTP', () => terminal.tell('turnwise: a command under a lock cannot be stopped'))
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

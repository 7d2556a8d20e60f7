/**
 * A command that runs while a lock is held. Others may be let in when the lease has ended, so the command must have ended
 * before: counted back from the deadline, first it is asked to (TERM), then it is made to (KILL).
 */
import { constants } from 'node:os'
import { type Ending, type Hold, now } from './hold.ts'
import { type Exit, ProcessGroup } from './process-group.ts'

/** Of a lease, before the deadline. A lease that is kept is never below 0.7; a voter that is missed is suspected at 0.5. */
export const TERM_AT = 0.4
export const KILL_AT = 0.2
/**
 * Of a lease: after the connection to the daemon broke. The daemon, if it lives, keeps the lock for half a lease for a
 * client that has gone without a word.
 */
const AFTER_BREAK = 0.3
/** Of a lease: how long a command that is asked to end may take where the lease is still kept. */
export const PATIENCE = 1

export type Outcome =
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'lost'; readonly reason: string }

export class GuardedCommand {
  readonly #hold: Hold
  readonly #group: ProcessGroup
  #why: string | null = null
  #isLost = false
  #killAt = Number.POSITIVE_INFINITY
  #isKilled = false

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, hold: Hold) {
    this.#hold = hold
    this.#group = new ProcessGroup(command, env)
  }

  /** For what this program is sent and the command is meant by. */
  signal(signal: NodeJS.Signals): void {
    this.#group.signal(signal)
  }

  /** Resolves when nothing of the command runs any more and the lock is released, in this order. */
  async run(): Promise<Outcome> {
    const timer = setInterval(() => this.#look(), Math.max(5, this.#hold.leaseMs / 50))
    this.#hold.whenEnding((ending) => this.#end(ending))
    let wasHeld = false
    let exit: Exit
    try {
      exit = await this.#group.exit
      await this.#group.gone(() => this.#isLost || now() >= this.#hold.deadline())
    } finally {
      clearInterval(timer)
      wasHeld = await this.#hold.release()
    }
    if (this.#why !== null) return { kind: 'lost', reason: this.#why }
    if (!wasHeld) return { kind: 'lost', reason: 'the lock was lost before the command ended' }
    return { kind: 'ended', code: codeOf(exit) }
  }

  #look(): void {
    const left = this.#hold.deadline() - now()
    const { leaseMs } = this.#hold
    if (left <= TERM_AT * leaseMs) this.#terminate('its lease was not renewed in time')
    if (left <= KILL_AT * leaseMs || now() >= this.#killAt) this.#kill()
  }

  #end({ kind, reason }: Ending): void {
    this.#terminate(reason)
    if (kind === 'lost') {
      this.#isLost = true
      this.#kill()
    } else this.#killAt = now() + (kind === 'asked' ? PATIENCE : AFTER_BREAK) * this.#hold.leaseMs
  }

  #terminate(why: string): void {
    if (this.#why !== null) return
    this.#why = why
    this.#group.signal('SIGTERM')
    // A command that is stopped would not hear it.
    this.#group.signal('SIGCONT')
  }

  #kill(): void {
    if (this.#isKilled) return
    this.#isKilled = true
    this.#group.signal('SIGKILL')
  }
}

/** As a shell tells it. */
function codeOf({ code, signal }: Exit): number {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal]
}

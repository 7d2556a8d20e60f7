/** Waits for a daemon that is not there yet, or that is started again. */
import { NoDaemonError } from '../locks/errors.ts'
import { type Caller, LONGEST_TIMER } from './caller.ts'
import { type Client, Unwelcome } from './line-client.ts'
import { Pauses } from './pauses.ts'

/** Milliseconds between two tries, which double up to the longest. */
const SHORTEST = 50
const LONGEST = 1000

/**
 * Tries until a daemon answers. Rejects with the last NoDaemonError when so many milliseconds are over, with the signal's reason when
 * it aborts, and at once if a daemon answers and refuses this client.
 */
export async function comeBack(
  open: () => Promise<Client>,
  wait: number,
  signal: AbortSignal | undefined,
  pauses = new Pauses(),
): Promise<Client> {
  const end = () => pauses.end()
  signal?.addEventListener('abort', end)
  const ends = performance.now() + wait
  try {
    for (let pause = SHORTEST; ; pause = Math.min(2 * pause, LONGEST)) {
      signal?.throwIfAborted()
      try {
        const client = await open()
        if (signal?.aborted !== true) return client
        client.close()
      } catch (error) {
        if (!(error instanceof NoDaemonError) || error instanceof Unwelcome) throw error
        if (performance.now() >= ends) throw error
      }
      await pauses.next(Math.min(pause, Math.max(0, ends - performance.now())))
    }
  } finally {
    signal?.removeEventListener('abort', end)
  }
}

/** How a client waits for its daemon. */
export interface Patience {
  /** Milliseconds. */
  readonly wait: number
  open(): Promise<Client>
}

/** While no daemon serves a client: why, and which callers wait for one. */
export class Absence {
  /** Null while a daemon serves. */
  why: Error | null = null
  readonly parked = new Set<Caller>()
  readonly #patience: Patience | null
  readonly #stop = new AbortController()
  readonly #tries = new Pauses()

  constructor(patience: Patience | null) {
    this.#patience = patience
    this.#tries.keepAlive(false)
  }

  /** Whether a daemon that comes back is waited for. */
  get isAwaited(): boolean {
    return this.#patience !== null
  }

  park(caller: Caller): void {
    caller.ticket = 0
    this.parked.add(caller)
  }

  /** The daemon serves nobody any more, but the connection stands. Calls `over` if it still does when the time is over. */
  leaves(why: Error, over: () => void): void {
    if (this.why !== null) return
    this.why = why
    void this.#tries
      .next(Math.min(this.#patience?.wait ?? 0, LONGEST_TIMER))
      .then((isOver) => isOver && over())
  }

  /** The next daemon. Rejects if none comes in time. It serves when `why` is set to null. */
  next(why: Error): Promise<Client> {
    this.#tries.end()
    this.why = why
    const patience = this.#patience as Patience
    return comeBack(() => patience.open(), patience.wait, this.#stop.signal, this.#tries)
  }

  /** Whether the wait for a daemon keeps the process alive. At first it does not. */
  keepAlive(isAlive: boolean): void {
    this.#tries.keepAlive(isAlive)
  }

  end(reason: Error): void {
    this.#stop.abort(reason)
    this.#tries.end()
  }
}

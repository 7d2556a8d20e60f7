/**
 * Asks the engine what members ask it, beside them. If it answers later than they wait for, nobody can keep a lease, and the
 * machine is too busy for it: that is told, as other stalls are.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { monotonic } from '@turnwise/mesh/lease/clock'
import { readPlace } from '@turnwise/mesh/register/place'
import type { Register } from '@turnwise/mesh/register/register'

/** Milliseconds: it does not give up before it knows how long an answer took. */
const PATIENCE = 60_000
const CELL = 'probe'

export class EngineProbe {
  readonly #place: string
  readonly #pauseMs: number
  readonly #late: (milliseconds: number) => void
  #isClosed = false
  readonly #ended: Promise<void>

  /** Every `pause` milliseconds; `late` is told of what takes longer than that. */
  constructor(place: string, pauseMs: number, late: (milliseconds: number) => void) {
    this.#place = place
    this.#pauseMs = pauseMs
    this.#late = late
    this.#ended = this.#run()
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      // An engine that is away cannot be asked: that is done to it.
      const register = await readPlace(this.#place)
        .open(CELL, { patience: PATIENCE })
        .catch(() => null)
      if (register !== null) await this.#ask(register).catch(() => {})
      await register?.close()
      await sleep(this.#pauseMs)
    }
  }

  async #ask(register: Register): Promise<void> {
    let version = (await register.read(CELL))?.version ?? null
    while (!this.#isClosed) {
      const asked = monotonic()
      const outcome = await register.cas(CELL, version, String(asked))
      if (outcome.kind !== 'done') return
      version = outcome.version
      const took = monotonic() - asked
      if (took > this.#pauseMs) this.#late(took)
      await sleep(this.#pauseMs)
    }
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#ended
  }
}

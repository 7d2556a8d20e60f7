/** What a client of a daemon holds, at the client's side. */
import { LockLostError } from '../locks/errors.ts'
import { failUpgrade, type Held, loseHold } from '../locks/held.ts'

export class Holds {
  /** By ticket. */
  readonly all = new Map<number, Held>()
  /** The question by which each was changed last. */
  readonly #changes = new Map<number, number>()
  #emptied: (() => void)[] = []

  changed(hold: number, question: number): void {
    this.#changes.set(hold, question)
  }

  /** A later question of the client may be under way: then this is about an earlier one. */
  failUpgrade(hold: number, question: number, reason: Error): void {
    const held = this.all.get(hold)
    if (held !== undefined && this.#changes.get(hold) === question) failUpgrade(held, reason)
  }

  lose(ticket: number, held: Held, loss: Error | 'lapsed'): void {
    this.drop(ticket)
    loseHold(held, loss)
  }

  loseAll(loss: (held: Held) => Error): void {
    for (const [ticket, held] of this.all) this.lose(ticket, held, loss(held))
  }

  drop(ticket: number): void {
    this.all.delete(ticket)
    this.#changes.delete(ticket)
    if (this.all.size === 0) for (const tell of this.#emptied.splice(0)) tell()
  }

  whenEmpty(): Promise<void> {
    if (this.all.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#emptied.push(resolve))
  }
}

export function lostBecause({ name }: Held, reason: string): LockLostError {
  return new LockLostError(`"${name}" is lost: ${reason}`)
}

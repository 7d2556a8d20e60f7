/** `once` at the daemon's side: it looks up and notes the runs of a job, under the lock that its client holds. */
import { type Held, heldKey } from '../locks/held.ts'
import { bookOf, type Entry } from '../locks/run-memory.ts'
import type { MeshNode } from '../mesh.ts'
import { jobOf } from '../protocol/names.ts'
import { type Finding, MOST_SKEW } from '../protocol/runs.ts'
import type { Question } from './control-messages.ts'

type LookUp = Extract<Question, { kind: 'look-up' }>
type Note = Extract<Question, { kind: 'note' }>

/** A fire time that was looked up. */
interface Looked {
  readonly entry: Entry
  readonly time: number
}

export class Jobs {
  /** Null until the answer is there. */
  readonly #looked = new WeakMap<Held, Looked | null>()

  async lookUp(mesh: MeshNode, held: Held, { time, skew }: LookUp): Promise<Finding> {
    const name = jobOf(heldKey(held))
    if (name === null) throw new TypeError(`"${held.name}" is not the lock of a job`)
    // Each look-up counts its writes from one, so two under one hold would write with the same ballot (keeping.ts).
    if (this.#looked.has(held)) throw new TypeError(`a fire time of "${held.name}" was looked up already`)
    if (skew > MOST_SKEW) throw new RangeError(`a skew of ${skew} ms is more than ${MOST_SKEW} ms`)
    const early = time - Date.now()
    // The clock of the client may differ by `skew`, and its timer may be that much ahead. Runs that are forgotten rely on it.
    if (early > 2 * skew)
      throw new RangeError(
        `fire time ${time} is ${early} ms ahead of the daemon's clock: ${2 * skew} ms are allowed`,
      )
    this.#looked.set(held, null)
    const entry = await bookOf(await mesh.memoryOf()).open({ name, time, skew }, held)
    this.#looked.set(held, { entry, time })
    return entry.finding
  }

  /** The daemon's node counts as the one that ran it. */
  note(by: string, held: Held, { at, isDone, since }: Note): Promise<void> {
    const { entry, time } = this.#of(held)
    return entry.note({ time, by, at, isDone }, since)
  }

  confirm(held: Held): Promise<void> {
    return this.#of(held).entry.confirm()
  }

  #of(held: Held): Looked {
    const looked = this.#looked.get(held)
    if (looked == null) throw new TypeError(`no fire time of "${held.name}" was looked up`)
    return looked
  }
}

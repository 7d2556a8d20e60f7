/** What nodes say without changing, said at once: see `says` in `Reductions`. */
import { get, intAt } from '@turnwise/core/bounds'
import type { Draft } from './draft.ts'
import type { Outcome } from './happening.ts'
import type { Machine } from './machine.ts'

export class StatelessReplies {
  readonly #machine: Machine
  readonly #draft: Draft

  constructor(machine: Machine, draft: Draft) {
    this.#machine = machine
    this.#draft = draft
  }

  /** Only for the nodes that were touched: in the world before, everything was said. */
  spread(): void {
    const draft = this.#draft
    const { reductions, bounds } = this.#machine
    if (!reductions.says) return
    while (draft.touched !== 0 && draft.fault === null) {
      const { touched } = draft
      draft.touched = 0
      this.#answers(touched)
      if (bounds.catchUp && !bounds.delays) this.#heartbeats(touched)
    }
  }

  /** PREPARE and INSTALL are answered as often as they come, and a report tells what is held by then. */
  #answers(touched: number): void {
    const { next, header } = this.#draft
    const { receivers, isAnswered } = this.#machine
    for (let i = header; i < this.#draft.size; i += 1) {
      const number = intAt(next, i)
      if (!isAnswered[number] || (touched & (1 << get(receivers, number))) === 0) continue
      const p = get(receivers, number)
      // What it adds may stand before this one in the set: then this one comes once more.
      if (this.#say(p, this.#machine.deliver(intAt(next, p), number))) i = header - 1
    }
  }

  /** OUT for a session that the receiver left out (R2), and copies of the view that the sender has begun (R15). */
  #heartbeats(touched: number): void {
    const machine = this.#machine
    const { next } = this.#draft
    const { nodes } = machine.bounds
    for (let p = 0; p < nodes.length; p += 1) {
      for (let q = 0; q < nodes.length; q += 1) {
        if (p === q || (touched & ((1 << p) | (1 << q))) === 0) continue
        const heartbeat = machine.heartbeatOf(intAt(next, p), q)
        if (heartbeat !== undefined) this.#say(q, machine.deliver(intAt(next, q), heartbeat))
        const fetch = machine.fetchFor(intAt(next, p), p, q)
        if (fetch !== undefined) this.#say(p, machine.deliver(intAt(next, p), fetch))
      }
    }
  }

  #say(p: number, { process, items, fence, impossible }: Outcome): boolean {
    const draft = this.#draft
    if (process !== draft.next[p] || fence > 0 || impossible !== null) return false
    const before = draft.size
    for (const item of items) draft.add(item)
    return draft.size > before
  }
}

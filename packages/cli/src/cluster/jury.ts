/**
 * The judges of `turnwise up`. They know only what members report, and compare by the times that members wrote: all
 * processes of one machine read one monotonic clock. A hold counts for as long as its node confirmed that it held:
 * what a stopped process believes after its lease has ended is the fence's business, not exclusion's.
 */
import { Findings } from '@turnwise/core/judges/judge'
import type { Word } from './words.ts'

interface Hold {
  readonly id: string
  readonly fence: bigint
  readonly from: number
  /** Until when it was held for certain. */
  until: number
  isOpen: boolean
  readonly overlaps: Set<Hold>
}

/** Of each name; a report can be late by no more than these. */
const REMEMBERED = 1000

export class Jury {
  readonly exclusion = new Findings('exclusion')
  readonly fences = new Findings('fence')
  readonly served = new Findings('served')
  readonly members = new Findings('member')
  readonly #ids: readonly string[]
  readonly #holds = new Map<string, Hold[]>()
  /** When each node last entered each name. */
  readonly #entered = new Map<string, number>()

  constructor(ids: readonly string[]) {
    this.#ids = ids
  }

  get findings(): readonly Findings[] {
    return [this.exclusion, this.fences, this.served, this.members]
  }

  hears(id: string, word: Word): void {
    switch (word.is) {
      case 'enters':
        return this.#enters(id, word)
      case 'leaves':
        return this.#confirm(id, word.name, word.at, false)
      case 'loses':
        return this.#close(id, word.name)
      case 'beats':
        for (const name of word.holds) this.#confirm(id, name, word.at, true)
    }
  }

  /** Whatever it held, it does nothing any more. */
  died(id: string): void {
    for (const name of this.#holds.keys()) this.#close(id, name)
  }

  /** Who has not entered a name since that time, of those who should have. */
  unserved(ids: readonly string[], names: readonly string[], since: number): { id: string; name: string }[] {
    return ids
      .flatMap((id) => names.map((name) => ({ id, name })))
      .filter(({ id, name }) => (this.#entered.get(`${id} ${name}`) ?? Number.NEGATIVE_INFINITY) < since)
  }

  find(findings: Findings, at: number, ids: readonly string[], text: string): void {
    findings.add(
      at,
      ids.map((id) => this.#ids.indexOf(id)),
      text,
    )
  }

  #enters(id: string, { name, at, fence: text }: Extract<Word, { is: 'enters' }>): void {
    const holds = this.#holds.get(name) ?? []
    this.#holds.set(name, holds)
    this.#close(id, name)
    this.#entered.set(`${id} ${name}`, at)
    const hold: Hold = { id, fence: BigInt(text), from: at, until: at, isOpen: true, overlaps: new Set() }
    const wrong = holds.find((other) =>
      other.from < at ? other.fence >= hold.fence : other.fence <= hold.fence,
    )
    if (wrong !== undefined) {
      const [first, second] = wrong.from < at ? [wrong, hold] : [hold, wrong]
      const text = `${second.id} enters ${name} with fence ${second.fence} after ${first.id} had ${first.fence}`
      this.find(this.fences, at, [first.id, second.id], text)
    }
    holds.push(hold)
    if (holds.length > REMEMBERED) holds.shift()
    this.#compare(name, hold)
  }

  #confirm(id: string, name: string, at: number, isOpen: boolean): void {
    const hold = this.#openHold(id, name)
    if (hold === undefined) return
    hold.until = Math.max(hold.until, at)
    hold.isOpen = isOpen
    this.#compare(name, hold)
  }

  #close(id: string, name: string): void {
    const hold = this.#openHold(id, name)
    if (hold !== undefined) hold.isOpen = false
  }

  #openHold(id: string, name: string): Hold | undefined {
    return this.#holds.get(name)?.findLast((hold) => hold.id === id && hold.isOpen)
  }

  #compare(name: string, hold: Hold): void {
    for (const other of this.#holds.get(name) ?? []) {
      if (other === hold || other.overlaps.has(hold)) continue
      const from = Math.max(hold.from, other.from)
      const until = Math.min(hold.until, other.until)
      if (from > until) continue
      hold.overlaps.add(other)
      other.overlaps.add(hold)
      const [first, second] = hold.from < other.from ? [hold, other] : [other, hold]
      const text = `${first.id} and ${second.id} hold ${name} together`
      this.find(this.exclusion, from, [first.id, second.id], text)
    }
  }
}

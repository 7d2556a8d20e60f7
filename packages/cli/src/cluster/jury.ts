/**
 * The judges of `turnwise up`. They know only what members report, and compare by the times that members wrote: all
 * processes of one machine read one monotonic clock. A hold counts for as long as its node confirmed that it held:
 * what a stopped process believes after its lease has ended is the fence's business, not exclusion's.
 */
import { get } from '@turnwise/core/bounds'
import { Findings } from '@turnwise/core/judges/findings'
import { type Hold, judgeHolds } from '@turnwise/core/judges/hold-judge'
import type { Word } from './up-messages.ts'

interface OwnHold extends Hold {
  readonly id: string
  /** Until when it was held for certain. */
  until: number
  isOpen: boolean
}

/** Of each name; a report can be late by no more than these. */
const REMEMBERED = 1000

export class Jury {
  readonly exclusion = new Findings('exclusion')
  readonly fences = new Findings('fence')
  readonly served = new Findings('served')
  readonly members = new Findings('member')
  readonly audit = new Findings('audit')
  readonly #ids: readonly string[]
  readonly #holds = new Map<string, OwnHold[]>()
  readonly #unjudged = new Set<string>()
  /** Those whose entry was found wrong: it is told once. */
  readonly #wrong = { exclusion: new WeakSet<OwnHold>(), fence: new WeakSet<OwnHold>() }
  /** When each node last entered each name. */
  readonly #entered = new Map<string, number>()

  constructor(ids: readonly string[]) {
    this.#ids = ids
  }

  get findings(): readonly Findings[] {
    return [this.exclusion, this.fences, this.served, this.members, this.audit]
  }

  /** Looks at what was heard since the last time. */
  judge(): void {
    for (const name of this.#unjudged) this.#judge(name)
    this.#unjudged.clear()
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
    this.#unjudged.add(name)
    this.#close(id, name)
    this.#entered.set(`${id} ${name}`, at)
    holds.push({ id, mode: 'exclusive', fence: BigInt(text), from: at, until: at, isOpen: true })
    if (holds.length < 2 * REMEMBERED) return
    this.#judge(name)
    holds.splice(0, REMEMBERED)
  }

  #judge(name: string): void {
    for (const { judge, at, holds } of judgeHolds(this.#holds.get(name) ?? [])) {
      const [first, last] = [get(holds, 0), get(holds, holds.length - 1)]
      if (this.#wrong[judge].has(last)) continue
      this.#wrong[judge].add(last)
      const ids = holds.map(({ id }) => id)
      if (judge === 'exclusion')
        this.find(this.exclusion, at, ids, `${ids.join(' and ')} hold ${name} together`)
      else {
        const text = `${last.id} enters ${name} with fence ${last.fence} after ${first.id} had ${first.fence}`
        this.find(this.fences, at, ids, text)
      }
    }
  }

  #confirm(id: string, name: string, at: number, isOpen: boolean): void {
    const hold = this.#openHold(id, name)
    if (hold === undefined) return
    this.#unjudged.add(name)
    hold.until = Math.max(hold.until, at)
    hold.isOpen = isOpen
  }

  #close(id: string, name: string): void {
    const hold = this.#openHold(id, name)
    if (hold !== undefined) hold.isOpen = false
  }

  #openHold(id: string, name: string): OwnHold | undefined {
    return this.#holds.get(name)?.findLast((hold) => hold.id === id && hold.isOpen)
  }
}

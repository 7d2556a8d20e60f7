/** Judges what the processes of a test told: who was inside when, with which fence, by the one clock of the machine. */
import { judgeHolds } from '@turnwise/core/judges/hold-judge'
import type { Happening } from './talk.ts'

interface Stay {
  /** Which process it was; a restarted one is another. */
  readonly life: number
  readonly name: string
  readonly fence: bigint
  readonly resources?: readonly number[] | undefined
  readonly from: number
  /** Until when the holder validly held, as far as it is known: never longer than it did. */
  until: number
  /** Until when its lease ran, as last heard. */
  lease: number
}

export class Witness {
  readonly #stays: Stay[] = []
  readonly #open = new Map<string, Stay>()

  /** In the order in which one process told it. */
  saw(life: number, happening: Happening): void {
    const key = `${life} ${happening.hold}`
    if (happening.kind === 'granted') {
      const { name, fence, at, until, resources } = happening
      const stay: Stay = {
        life,
        name,
        fence: BigInt(fence),
        resources,
        from: at,
        until: Number.POSITIVE_INFINITY,
        lease: until,
      }
      this.#stays.push(stay)
      this.#open.set(key, stay)
      return
    }
    const stay = this.#open.get(key)
    if (stay === undefined) return
    if (happening.kind === 'renewed') {
      stay.lease = Math.max(stay.lease, happening.until)
      return
    }
    // It may have been stopped or busy for long before it could say so.
    const isLate = happening.kind === 'lost' || happening.until <= happening.at
    stay.until = isLate ? Math.min(happening.at, stay.lease) : happening.at
    this.#open.delete(key)
  }

  /** The process is dead at that time, and holds nothing. */
  died(life: number, at: number): void {
    for (const [key, stay] of this.#open) {
      if (stay.life !== life) continue
      stay.until = Math.min(at, stay.lease)
      this.#open.delete(key)
    }
  }

  /** Grants of a name so far, in the order of time. */
  grants(name: string): readonly Readonly<Stay>[] {
    return this.#stays.filter((stay) => stay.name === name).toSorted((a, b) => a.from - b.from)
  }

  /** What is wrong, in words; empty if nothing is. */
  findings(): string[] {
    const names = [...new Set(this.#stays.map(({ name }) => name))]
    return names.flatMap((name) => this.#findingsOf(name))
  }

  #findingsOf(name: string): string[] {
    // A grant that was told only when its lease was over, by a process that was stopped in between, says nothing of order.
    const known = this.grants(name).filter(({ from, lease }) => from < lease)
    // A holder that has not said that it ended holds as long as its lease was known to run.
    const holds = known.map(({ life, fence, resources, from, until, lease }) => {
      return { life, mode: 'exclusive', fence, resources, from, until: Math.min(until, lease) } as const
    })
    return judgeHolds(holds).map(({ judge, holds }) => {
      const told = holds.map((hold) => `process ${hold.life} ${hold.fence} ${hold.from}..${hold.until}`)
      return `${name}: ${judge}: ${told.join('; ')}`
    })
  }
}

/** A resource that checks fences: it takes a write only if none with a higher fence came before. */
export class FencedRegister {
  readonly #highest = new Map<string, bigint>()
  readonly refused: bigint[] = []
  readonly taken: bigint[] = []

  write(name: string, fence: bigint): void {
    const isStale = fence < (this.#highest.get(name) ?? 0n)
    if (!isStale) this.#highest.set(name, fence)
    const list = isStale ? this.refused : this.taken
    list.push(fence)
  }
}

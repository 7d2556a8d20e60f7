/** The stamps of simulated voters (R19). They outlive processes, and tell the next life up to when the last one acknowledged. */
import { type Random, randomStream } from '@turnwise/core/random'
import { under } from '../../broken/under.ts'
import { type Rules, rules } from '../../src/protocol/rules.ts'
import { LEASE, type Plan } from './plan.ts'
import type { Voter } from './process.ts'

/** How far a stamp is ahead of the acks. */
const AHEAD = LEASE / 5
/** The chance that a write fails. */
const FAILS = 0.02

export class Stamps {
  readonly #chance: number
  readonly #random: Random
  readonly #rules: Rules
  readonly #now: () => number

  constructor({ seed, stamps }: Plan, wanted: Rules, now: () => number) {
    this.#chance = stamps
    // A stream of its own: a stamp shifts no other draw.
    this.#random = randomStream(seed, 'stamps')
    this.#rules = wanted
    this.#now = now
  }

  /** The clock of the machine. That of a process begins anew in each life. */
  #clock({ rate, stood }: Voter): number {
    return rate * this.#now() - stood
  }

  /** A life begins. Returns for how long earlier ones have surely acknowledged nothing. A life without stamps may leave an old one behind. */
  begin(voter: Voter): number {
    const { stamp, disk } = voter
    const now = this.#clock(voter)
    voter.stamps = this.#random.chance(this.#chance)
    const isOfLast = voter.stamps && stamp !== null && stamp.k === disk.k
    voter.before = isOfLast ? Math.min(stamp.until, now) : now
    return now - voter.before
  }

  /** A state is on disk. */
  written(voter: Voter): void {
    const { disk, stamps, stamp, before } = voter
    if (!stamps || disk.accepted === null || stamp?.k === disk.k) return
    // The life goes on after R7 under another number, and what it has acknowledged counts.
    voter.stamp = { k: disk.k, until: Math.max(before, stamp?.until ?? before) }
  }

  /** Before an ack leaves. */
  acknowledges(voter: Voter): void {
    const { stamps, stamp } = voter
    if (!stamps || stamp === null) return
    const until = under(this.#rules, () => rules.stamp(stamp.until, this.#clock(voter), AHEAD))
    if (until === stamp.until) return
    // The next life finds none.
    voter.stamps = !this.#random.chance(FAILS)
    voter.stamp = voter.stamps ? { ...stamp, until } : null
  }
}

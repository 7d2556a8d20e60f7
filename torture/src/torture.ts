/** One run of the torture: round by round what was planned, and after each the judges. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from '@turnwise/core/bounds'
import { monotonic } from '@turnwise/mesh/lease/clock'
import { type Deed, MOST_WAIT } from './deeds.ts'
import { isExcused } from './excuses.ts'
import { History } from './history.ts'
import { type Finding, forgotten, judge, quietSince, unserved } from './judges.ts'
import { lookUntil } from './look-until.ts'
import type { Round } from './plan.ts'
import { type Gap, gapsAfter } from './service.ts'
import { Stage, type StageOptions } from './torture-stage.ts'

/** What happened up to the end of a round. */
export interface Counts {
  readonly turns: number
  /** Of those turns, how many were lost before they were given back. */
  readonly lost: number
  /** Of those turns, how many were stolen. */
  readonly stolen: number
  readonly givenUp: number
  /** Uses of the register that came with a fence that was too low, and were refused. */
  readonly refused: number
  readonly views: number
}

export interface RoundReport {
  readonly round: Round
  /** Milliseconds from the repair until everyone was in one view and had been served at every name; null if that never was. */
  readonly served: number | null
  readonly counts: Counts
  readonly findings: readonly Finding[]
  /** Why it was not judged whether all were served; null if it was. */
  readonly unjudged: string | null
  /** Not all were served in time, and a stall of the machine is the excuse. */
  readonly isExcused: boolean
  /** If the round measures service: for how long nobody was served. */
  readonly gaps: readonly Gap[]
}

/** A machine with much else to do needs a while to start that many processes. */
const START_MS = 60_000
const POLL_MS = 50
/** Between two looks whether somebody is inside: shorter than most stays. */
const STRIKE_MS = 5

/** How long after the repair everyone must have been served, on a machine that lets everybody run. */
export function patienceFor(leaseMs: number): number {
  return 10_000 + 20 * leaseMs
}

/** After so many times that, it is said that the machine is too busy. */
const MOST_PATIENCE = 5

/** Others suspect a node that is silent for half a lease: whom the machine does not let run for so long has been stopped. */
function stallFor(leaseMs: number): number {
  return Math.max(leaseMs / 2, 250)
}

export class Torture {
  readonly #options: StageOptions
  readonly #stop: AbortSignal
  readonly #history: History
  readonly #stage: Stage
  #findings: Finding[] = []
  /** What deeds wait for. */
  readonly #moments = new Map<string, Promise<boolean>>()

  private constructor(options: StageOptions, stage: Stage, stop: AbortSignal) {
    this.#options = options
    this.#stage = stage
    this.#stop = stop
    this.#history = new History(stallFor(options.leaseMs))
  }

  /** Rounds are told as they begin and as they end. The last is the one in which a judge found something, if one did. */
  static async run(
    options: StageOptions,
    rounds: readonly Round[],
    stop: AbortSignal,
    heard: { began: (round: Round) => void; ended: (report: RoundReport) => void },
  ): Promise<void> {
    const broken = new AbortController()
    const stage = await Stage.open(options, () => broken.abort(new Error('the referee ended')))
    try {
      const torture = new Torture(options, stage, AbortSignal.any([stop, broken.signal]))
      await torture.#begin(get(rounds, 0))
      for (const round of rounds) {
        heard.began(round)
        const report = await torture.#round(round)
        if (broken.signal.aborted) throw broken.signal.reason
        if (report === null) return
        heard.ended(report)
        if (report.findings.length > 0 || report.unjudged !== null) return
        torture.#forget(round.number - 1)
      }
    } finally {
      await stage.close()
    }
  }

  /** The first view needs everyone (R21), so nothing is done before it. */
  async #begin(first: Round): Promise<void> {
    this.#traceInto(first)
    this.#stage.startAll()
    const isBegun = await this.#until(() => this.#isOneView(0), monotonic() + START_MS)
    if (isBegun || this.#stop.aborted) return
    const text = `the ${this.#options.ids.length} nodes were not in one view after ${START_MS / 1000} s`
    this.#findings.push({ judge: 'member', at: monotonic(), name: null, text })
  }

  /** Null if it was stopped. */
  async #round(round: Round): Promise<RoundReport | null> {
    this.#traceInto(round)
    const began = monotonic()
    this.#stage.tell({ is: 'round', at: began, number: round.number })
    for (const { at, deed } of round.steps) {
      await this.#sleepUntil(began + at)
      void this.#stage.do(deed, () => this.#dueTime(deed))
    }
    await this.#sleepUntil(began + round.lasts)
    for (const deed of round.repairs) void this.#stage.do(deed)
    if (!this.#stop.aborted) await this.#stage.allIsDone()
    return this.#stop.aborted ? null : this.#calm(round)
  }

  /** Resolves at once, or when it is inside whom this is to meet inside. */
  async #dueTime(deed: Deed): Promise<void> {
    if (!('meets' in deed) || deed.meets === null) return
    const { inside, still, since = 0 } = deed.meets
    const key = `${inside} ${still} ${since}`
    const awaited =
      this.#moments.get(key) ??
      this.#until(
        () => this.#history.isInside(inside, monotonic() - since, monotonic() + still),
        monotonic() + MOST_WAIT * this.#options.leaseMs,
        STRIKE_MS,
      )
    this.#moments.set(key, awaited)
    await awaited
    this.#moments.delete(key)
  }

  async #calm(round: Round): Promise<RoundReport | null> {
    const calm = monotonic()
    this.#stage.tell({ is: 'calm', at: calm, number: round.number })
    let served: number | null = null
    const isServed = () => {
      if (this.#isServed(calm)) served ??= monotonic() - calm
      return served !== null && monotonic() >= calm + round.calm
    }
    const patience = patienceFor(this.#options.leaseMs)
    const isLate = () => monotonic() > quietSince(this.#history, calm) + patience
    await this.#until(() => isServed() || isLate(), calm + MOST_PATIENCE * patience)
    if (this.#stop.aborted) return null
    const late = served === null && isLate() ? this.#unsettled(calm) : []
    const findings = [...this.#findings, ...judge(this.#history), ...late]
    const unjudged =
      served === null && late.length === 0
        ? `the machine held processes up for more than ${stallFor(this.#options.leaseMs)} ms again and again`
        : null
    return {
      round,
      served,
      counts: this.#counts(),
      findings,
      unjudged,
      isExcused: isExcused(served, patience, late.length > 0),
      gaps: this.#gaps(round),
    }
  }

  #gaps({ struck }: Round): Gap[] {
    const at = struck === undefined ? undefined : this.#history.struck.get(struck.victim)
    return struck === undefined || at === undefined ? [] : gapsAfter(this.#history.turns, struck, at)
  }

  #isServed(calm: number): boolean {
    const now = monotonic()
    return this.#late(calm, now).length === 0 && this.#stage.votersAreThere
  }

  #unsettled(calm: number): Finding[] {
    const now = monotonic()
    const late = this.#late(calm, now)
    if (late.length > 0) return late
    const text = 'all were served, but the disks of all nodes are not the voters of their view'
    return [{ judge: 'served', at: now, name: null, text }]
  }

  #late(calm: number, now: number): Finding[] {
    const { ids, locks } = this.#options
    const names = locks.map(({ name }) => name)
    const late = [...forgotten(this.#history, calm, now), ...unserved(this.#history, ids, names, calm, now)]
    if (this.#isOneView(calm)) return late
    const text = `the nodes are not in one view: ${this.#views()}`
    return [...late, { judge: 'served', at: now, name: null, text }]
  }

  /** As told after that time, everyone is in the same view, which is of everyone, and has a lease. */
  #isOneView(since: number): boolean {
    const { ids } = this.#options
    const beats = ids.map((id) => this.#history.lives.get(id)?.beat ?? null)
    return beats.every((beat) => {
      if (beat === null || beat.at < since || !beat.hasLease) return false
      return beat.epoch === beats[0]?.epoch && beat.members.length === ids.length
    })
  }

  #views(): string {
    return this.#options.ids
      .map((id) => {
        const { epoch, members, hasLease } = this.#history.lives.get(id)?.beat ?? {}
        return `${id} ${epoch ?? '–'} (${members?.join(' ') ?? ''}${hasLease === true ? '' : ', no lease'})`
      })
      .join(', ')
  }

  #counts(): Counts {
    const { turns, uses, epochs, givenUp } = this.#history
    return {
      turns: turns.filter(({ from }) => from !== null).length,
      lost: turns.filter(({ from, end }) => from !== null && end === 'lost').length,
      stolen: turns.filter(({ from, end }) => from !== null && end === 'stolen').length,
      givenUp,
      refused: uses.filter(({ taken }) => !taken).length,
      views: epochs.size,
    }
  }

  #directoryOf(number: number): string {
    return tracesIn(this.#options.directory, number)
  }

  #traceInto({ number }: Round): void {
    mkdirSync(this.#directoryOf(number), { recursive: true })
    this.#stage.traceInto(this.#directoryOf(number))
  }

  /** What nobody will ask for: nothing was found in the round after it. */
  #forget(number: number): void {
    rmSync(this.#directoryOf(number), { recursive: true, force: true })
  }

  async #sleepUntil(time: number): Promise<void> {
    const left = time - monotonic()
    if (left > 0) await sleep(left, undefined, { signal: this.#stop }).catch(() => {})
  }

  #until(isSo: () => boolean, deadline: number, pause = POLL_MS): Promise<boolean> {
    const look = () => {
      for (const entry of this.#stage.entries()) this.#history.add(entry)
      return isSo()
    }
    // All that nodes say to each other passes through this process.
    const heldUp = (at: number, milliseconds: number) => {
      const entry = { is: 'stalled', at, milliseconds: Math.round(milliseconds) } as const
      this.#history.add(entry)
      this.#stage.tell(entry)
    }
    const tooLong = stallFor(this.#options.leaseMs)
    return lookUntil(look, { deadline, pause, tooLong, heldUp, stop: this.#stop })
  }
}

/** Where the traces of a round are. */
export function tracesIn(directory: string, round: number): string {
  return join(directory, `round-${round}`)
}

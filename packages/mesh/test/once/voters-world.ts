/**
 * Voters that remember, processes whose timers fire, and a lock between them, in steps drawn from a seed. Words are lost, repeated and late. The
 * holder is stopped at any moment and loses its lock, though what it said still arrives. Voters change, through joint views. Clocks differ.
 */
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import {
  type Advice,
  consider,
  judge,
  type Kept,
  type Question,
  type Shelf,
} from '../../src/protocol/keeping.ts'
import { keepingRules } from '../../src/protocol/keeping-rules.ts'
import { isMajority, type Roster, type VoterId, votersOf } from '../../src/protocol/record.ts'
import {
  find,
  forgetting,
  NO_RUNS,
  type Runs,
  readRuns,
  withRun,
  writeRuns,
} from '../../src/protocol/runs.ts'

const SKEW = 20
const VOTERS = ['u', 'v', 'w', 'x', 'y', 'z']

interface Voter {
  readonly id: VoterId
  readonly off: number
  /** The view that it works in, and whether it has promised a later one. */
  epoch: number
  isFrozen: boolean
  shelf: Shelf | null
  since: number
  at: number
}

interface Holder {
  readonly process: number
  readonly fire: number
  readonly time: number
  readonly now: number
  readonly counter: number
  readonly epoch: number
  /** It copies what is remembered, and runs nothing. */
  readonly isCopier: boolean
  hasLock: boolean
  step: number
  value: string | null
  under: number
  answers: Map<VoterId, Advice>
  runs: Runs | null
}

type Word =
  | { readonly to: Voter; readonly from: Holder; readonly epoch: number; readonly question: Question }
  | {
      readonly to: Holder
      readonly from: VoterId
      readonly epoch: number
      readonly step: number
      readonly advice: Advice
    }

export class VotersWorld {
  /** By fire time, how often the job ran. */
  readonly ran = new Map<number, number>()
  unknown = 0
  readonly #random: Random
  readonly #voters: Voter[]
  readonly #clocks: readonly number[]
  #views: Roster[]
  #words: Word[] = []
  #holder: Holder | null = null
  #counter = 0
  #time = 1000
  #fires = [1000]

  constructor(seed: number) {
    this.#random = randomStream(seed, 'voters that remember')
    this.#clocks = [0, 1, 2].map(() => this.#below(SKEW / 2))
    this.#voters = VOTERS.map((id) => {
      const off = this.#below(SKEW / 2)
      return { id, off, epoch: 1, isFrozen: false, shelf: null, since: 0, at: 0 }
    })
    this.#views = [rosterOf(1, VOTERS.slice(0, 3), null, 0)]
  }

  run(steps: number): this {
    for (let step = 0; step < steps; step += 1) {
      this.#time += 1
      const chance = this.#below(1000)
      if (chance < 780) this.#deliver()
      else if (chance < 850) this.#ask()
      else if (chance < 930) this.#fire()
      else if (chance < 945) this.#stop()
      // The old voters go soon.
      else if (chance < (this.#view.oldVoters === null ? 949 : 965)) this.#change()
      else this.#begin()
    }
    return this
  }

  #below(bound: number): number {
    return this.#random.below(bound)
  }

  get #view(): Roster {
    return this.#views.at(-1) as Roster
  }

  /** Of a time that is new, or of any before, as a timer that was late. */
  #fire(): void {
    if (this.#holder !== null) return
    if (this.#time > (this.#fires.at(-1) as number) + 4 * SKEW) this.#fires.push(this.#time)
    const recent = this.#fires.slice(-3)
    const fire = get(recent, this.#below(recent.length))
    const process = this.#below(3)
    this.#counter += 1
    const { epoch } = this.#view
    const time = fire + get(this.#clocks, process)
    const now = this.#time + get(this.#clocks, process)
    const isCopier = this.#view.oldVoters !== null && this.#below(3) === 0
    const asking = { isCopier, step: 1, value: null, under: 0, answers: new Map(), runs: null }
    this.#holder = { process, fire, time, now, counter: this.#counter, epoch, hasLock: true, ...asking }
  }

  /** It finds out when it goes on. What it has said is on its way. */
  #stop(): void {
    if (this.#holder !== null) this.#holder.hasLock = false
    this.#holder = null
  }

  /** Again and again, in the view that it works in. */
  #ask(): void {
    const holder = this.#holder
    if (holder === null) return
    if (holder.under === 0 || this.#below(4) === 0) {
      if (holder.under !== this.#view.epoch) holder.answers.clear()
      holder.under = this.#view.epoch
    }
    const view = get(this.#views, holder.under - 1)
    const { step, value, epoch, counter } = holder
    const question = { name: 'job', ballot: { fence: { epoch, counter }, step }, value }
    for (const { voterId } of votersOf(view))
      this.#words.push({ to: this.#voter(voterId), from: holder, epoch: view.epoch, question })
  }

  #voter(id: VoterId): Voter {
    return this.#voters.find((each) => each.id === id) as Voter
  }

  #deliver(): void {
    if (this.#words.length === 0) return
    // Most come soon, and some much later.
    const late = this.#below(5) === 0 ? this.#words.length : Math.min(6, this.#words.length)
    const place = this.#words.length - 1 - this.#below(late)
    const word = get(this.#words, place)
    // One in ten comes again, and one in ten is lost.
    if (this.#below(10) > 0) this.#words.splice(place, 1)
    if (this.#below(10) === 0) return
    if ('question' in word) this.#consider(word)
    else this.#hear(word)
  }

  #consider({ to, from, epoch, question }: Extract<Word, { question: Question }>): void {
    if (to.epoch !== epoch || to.isFrozen) return
    const { shelf, outcome } = consider(to.shelf, question, epoch)
    to.shelf = shelf
    const advice = { outcome, kept: shelf?.kept ?? null, since: to.since, at: to.at }
    this.#words.push({ to: from, from: to.id, epoch, step: question.ballot.step, advice })
  }

  #hear({ to: holder, from, epoch, step, advice }: Exclude<Word, { question: Question }>): void {
    if (!holder.hasLock || step !== holder.step || epoch !== holder.under) return
    const view = get(this.#views, epoch - 1)
    holder.answers.set(from, advice)
    const verdict = judge(view, holder.answers)
    if (verdict.kind === 'refused') return this.#end()
    if (verdict.kind === 'heeded') this.#goOn(holder, verdict.latest, verdict.before)
  }

  /** At most once: it is noted before it runs. */
  #goOn(holder: Holder, latest: Kept | null, before: number | null): void {
    holder.answers = new Map()
    if (holder.isCopier) return this.#copy(holder, latest, before)
    if (holder.runs !== null) {
      this.ran.set(holder.fire, (this.ran.get(holder.fire) ?? 0) + 1)
      return this.#end()
    }
    const found = latest === null ? NO_RUNS : (readRuns(latest.value) ?? NO_RUNS)
    const runs = forgetting(found, before === null ? null : before + 2 * SKEW)
    const finding = find(runs, holder.time, SKEW)
    if (finding.kind === 'unknown') this.unknown += 1
    if (finding.kind !== 'new') return this.#end()
    const { time, now, process } = holder
    holder.runs = withRun(runs, { time, by: String(process), at: now, isDone: false }, 0)
    holder.value = writeRuns(holder.runs)
    holder.step += 1
  }

  /** As `VoterMemory` does in a joint view. */
  #copy(holder: Holder, latest: Kept | null, before: number | null): void {
    if (holder.value !== null || latest === null || before !== null) return this.#end()
    holder.value = latest.value
    holder.step += 1
  }

  #end(): void {
    if (this.#holder !== null) this.#holder.hasLock = false
    this.#holder = null
  }

  /** A majority promises another view. The others work on in the old one until they hear of it. */
  #change(): void {
    const last = this.#view
    const there = votersOf(last).map(({ voterId }) => this.#voter(voterId))
    const promising = there.filter(() => this.#below(3) > 0)
    if (
      !isMajority(
        last,
        promising.map(({ id }) => id),
      )
    )
      return
    for (const voter of promising) voter.isFrozen = true
    const epoch = last.epoch + 1
    const names = last.voters.map(({ voterId }) => voterId)
    const { since = 0 } = last
    if (last.oldVoters !== null) {
      const isBegun = votersOf(last).every(({ voterId }) => this.#voter(voterId).epoch === last.epoch)
      const old = last.oldVoters.map(({ voterId }) => voterId)
      this.#views.push(
        isBegun
          ? rosterOf(epoch, names, null, keepingRules.era(last.epoch, last.since))
          : rosterOf(epoch, names, old, since),
      )
    } else {
      const others = VOTERS.filter((name) => !names.includes(name))
      const wanted = this.#below(2) === 0 ? [...names.slice(1), get(others, this.#below(3))] : others
      this.#views.push(rosterOf(epoch, wanted, names, since))
    }
    for (const voter of promising) if (this.#below(2) === 0) this.#enter(voter)
  }

  /** One of them hears of the last view. */
  #begin(): void {
    const { voterId } = get(votersOf(this.#view), this.#below(votersOf(this.#view).length))
    this.#enter(this.#voter(voterId))
  }

  #enter(voter: Voter): void {
    const { epoch, since = 0 } = this.#view
    voter.epoch = epoch
    voter.isFrozen = false
    if (since > voter.since) Object.assign(voter, { since, at: this.#time + voter.off })
  }
}

function rosterOf(
  epoch: number,
  voters: readonly string[],
  old: readonly string[] | null,
  since: number,
): Roster {
  const set = (names: readonly string[]) => names.map((id) => ({ id, voterId: id }))
  const settings = { algorithm: 'token-queue', lease: 1000, drift: 0 }
  const roster = { epoch, voters: set(voters), oldVoters: old && set(old), members: [], settings }
  return since === 0 ? roster : { ...roster, since }
}

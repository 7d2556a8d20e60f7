import type { NodeId } from '../algorithm.ts'
import { doubled, get, outOfBounds } from '../bounds.ts'

/** Cost: messages by type, how long requests waited, how long the section stood empty between two entries. */
export class CostJudge {
  readonly sentByType = new Map<string, number>()
  mostInFlight = 0
  #inFlight = 0
  readonly #responses = new Samples()
  /** If requests have priorities: how long those of each priority waited. */
  #byPriority: Map<number, Samples> | null = null
  readonly #priorities: number[] = []
  /** If nodes belong to zones: how long those of each zone waited. */
  #zoneOf: ((node: NodeId) => number) | null = null
  readonly #byZone: Samples[] = []
  #handOvers = 0
  #handOverSum = 0
  #handOverMost = 0
  readonly #arrivedAt: Float64Array
  readonly #askedAt: Float64Array
  /** When the section was last left empty, or NaN while someone is inside. */
  #emptySince = Number.NaN
  #inside = 0
  /** Since the first counted entry: when it was, when somebody last left, and how long all stays were together. */
  #countedSince = Number.NaN
  #countedUntil = Number.NaN
  #insideSum = 0
  #changedAt = 0

  constructor(nodes: number) {
    this.#arrivedAt = new Float64Array(nodes)
    this.#askedAt = new Float64Array(nodes)
  }

  sent(type: string): void {
    this.sentByType.set(type, (this.sentByType.get(type) ?? 0) + 1)
  }

  tookOff(copies: number): void {
    this.#inFlight += copies
    if (this.#inFlight > this.mostInFlight) this.mostInFlight = this.#inFlight
  }

  landed(): void {
    this.#inFlight -= 1
  }

  /** The caller came at `arrived`, which is earlier than `at` if it had to queue at its own node. */
  requested(at: number, node: NodeId, arrived: number, priority = 0): void {
    if (this.#byPriority !== null) this.#priorities[node] = priority
    this.#arrivedAt[node] = arrived
    this.#askedAt[node] = at
  }

  entered(at: number, node: NodeId, counted: boolean): void {
    this.#passed(at)
    if (counted) {
      if (Number.isNaN(this.#countedSince)) this.#countedSince = at
      const waited = at - (this.#arrivedAt[node] ?? outOfBounds())
      this.#responses.add(waited)
      if (this.#byPriority !== null) this.#ofPriority(get(this.#priorities, node)).add(waited)
      if (this.#zoneOf !== null) (this.#byZone[this.#zoneOf(node)] ??= new Samples()).add(waited)
      // A hand-over: the node already waited when the last one left. A node that asked later was not kept waiting.
      if (this.#emptySince > (this.#askedAt[node] ?? outOfBounds())) this.#handOver(at - this.#emptySince)
    }
    this.#inside += 1
    this.#emptySince = Number.NaN
  }

  left(at: number): void {
    this.#passed(at)
    this.#countedUntil = at
    this.#inside -= 1
    if (this.#inside === 0) this.#emptySince = at
  }

  #passed(at: number): void {
    if (!Number.isNaN(this.#countedSince)) this.#insideSum += this.#inside * (at - this.#changedAt)
    this.#changedAt = at
  }

  /** How many were inside at a time, on average from the first counted entry to the last exit; null without a time. */
  get meanInside(): number | null {
    const time = this.countedTime
    return time === null ? null : this.#insideSum / time
  }

  /** Ticks from the first counted entry to the last exit; null if there are none. */
  get countedTime(): number | null {
    const time = this.#countedUntil - this.#countedSince
    return time > 0 ? time : null
  }

  /** Forgets what was sent and how much was under way: warm-up is over. */
  startCounting(): void {
    this.sentByType.clear()
    this.mostInFlight = this.#inFlight
  }

  get messages(): number {
    let total = 0
    for (const count of this.sentByType.values()) total += count
    return total
  }

  /** From now on the waiting times of each priority are kept apart. */
  followPriorities(): void {
    this.#byPriority = new Map()
  }

  /** The most urgent first; empty where priorities are not followed. */
  get responsesByPriority(): [priority: number, responses: Samples][] {
    return [...(this.#byPriority ?? [])].toSorted(([a], [b]) => b - a)
  }

  /** From now on the waiting times of each zone are kept apart. */
  followZones(of: (node: NodeId) => number): void {
    this.#zoneOf = of
  }

  /** Of the zones in which somebody entered. */
  get responsesByZone(): [zone: number, responses: Samples][] {
    return [...this.#byZone.entries()].filter(([, responses]) => responses !== undefined)
  }

  #ofPriority(priority: number): Samples {
    const samples = this.#byPriority?.get(priority) ?? new Samples()
    this.#byPriority?.set(priority, samples)
    return samples
  }

  get responses(): Samples {
    return this.#responses
  }

  /** Ticks between an exit and the next entry of a node that already waited; null if there was no such hand-over. */
  get syncDelay(): { mean: number; max: number } | null {
    if (this.#handOvers === 0) return null
    return { mean: this.#handOverSum / this.#handOvers, max: this.#handOverMost }
  }

  #handOver(delay: number): void {
    this.#handOvers += 1
    this.#handOverSum += delay
    if (delay > this.#handOverMost) this.#handOverMost = delay
  }
}

/** A growing list of numbers, kept flat. */
export class Samples {
  #values = new Float64Array(1024)
  #length = 0

  add(value: number): void {
    if (this.#length === this.#values.length) this.#values = doubled(this.#values)
    this.#values[this.#length] = value
    this.#length += 1
  }

  get length(): number {
    return this.#length
  }

  /** The mean, the median and the 99th percentile; null without a sample. */
  summary(): { mean: number; p50: number; p99: number; max: number } | null {
    if (this.#length === 0) return null
    const sorted = this.#values.slice(0, this.#length).toSorted()
    const quantile = (share: number) =>
      sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? outOfBounds()
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length
    return { mean, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) }
  }
}

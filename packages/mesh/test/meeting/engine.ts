/** The engine of a simulated world: cells with versions, calls that take their time, answers that are lost. */
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import type { Answer, Call, Cell } from '../../src/protocol/meeting/cells.ts'
import { LEASE } from '../simulation/plan.ts'
import type { MeetingPlan } from './plan.ts'

/** When a call is done at the engine, and when its answer comes, or that there is none. */
export interface Times {
  readonly done: number | null
  readonly answered: number
  readonly isLost: boolean
}

/** A host does not wait longer. */
const PATIENCE = LEASE / 3

export class Engine {
  readonly cells = new Map<string, Cell>()
  isQuiet = false
  awayUntil = Number.NEGATIVE_INFINITY
  readonly #plan: MeetingPlan
  readonly #random: Random
  #versions = 0
  readonly #copies: { readonly cells: ReadonlyMap<string, Cell>; readonly versions: number }[] = []

  constructor(plan: MeetingPlan) {
    this.#plan = plan
    this.#random = randomStream(plan.plan.seed, 'register')
  }

  times(now: number): Times {
    const { delay, slow, unknown, late } = this.#plan.engine
    const random = this.#random
    const there = delay * (0.5 + random.fraction()) * (this.isQuiet ? 0.5 : 1)
    const back = delay * (0.5 + random.fraction()) * (this.isQuiet ? 0.5 : 1)
    if (this.isQuiet) return { done: now + there, answered: now + there + back, isLost: false }
    const isAway = now < this.awayUntil
    const isSlow = random.chance(slow)
    const isLost = isAway || random.chance(unknown)
    // A write that was on its way may be done all the same, at any time.
    const isDropped = isAway ? random.chance(0.7) : isLost && random.chance(0.4)
    const later = isSlow || isLost ? 3 * LEASE * random.fraction() ** 2 : 0
    const stray = late > 0 && random.chance(late) ? PATIENCE * random.fraction() : 0
    const isThere = stray > 0 && random.chance(0.5)
    const done = now + there + later + (isThere ? stray : 0)
    const answered = done + back + (isThere ? 0 : stray)
    const isLate = isLost || answered - now > PATIENCE
    return { done: isDropped ? null : done, answered: isLate ? now + PATIENCE : answered, isLost: isLate }
  }

  do(call: Call): Answer {
    if (call.do === 'read') return { kind: 'cell', cell: this.cells.get(call.cell) ?? null }
    if (call.do === 'list') return { kind: 'cells', cells: this.#list(call.prefix) }
    const { cell, version, value } = call
    if ((this.cells.get(cell)?.version ?? null) !== version) return { kind: 'refused' }
    this.#versions += 1
    if (value === null) this.cells.delete(cell)
    else this.cells.set(cell, { value, version: String(this.#versions) })
    const { restores, restoredAt } = this.#plan.engine
    if ((restores > 0 || restoredAt > 0) && this.#random.chance(0.2))
      this.#copies.push({ cells: new Map(this.cells), versions: this.#versions })
    return { kind: 'done', version: String(this.#versions) }
  }

  /** An operator restores an old copy. Versions go back to those of the copy, and are given again. */
  restore(random: Random): void {
    if (this.#copies.length === 0) return
    const copy = get(this.#copies, random.below(this.#copies.length))
    this.cells.clear()
    for (const [cell, content] of copy.cells) this.cells.set(cell, content)
    this.#versions = copy.versions
  }

  #list(prefix: string): ReadonlyMap<string, Cell> {
    const { missing } = this.#plan.engine
    const found = [...this.cells].filter(
      ([cell]) => cell.startsWith(prefix) && (this.isQuiet || !this.#random.chance(missing)),
    )
    return new Map(found)
  }
}

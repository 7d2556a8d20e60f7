/**
 * Finds deadlocks among callers. When a caller that may hold something has waited for some time, its node asks all members who
 * holds and who waits, and for whom. If the caller is the youngest in a circle, they are asked again. The circle counts if both
 * answers contain exactly its holds and waits, and the view has not changed. All first answers came before any second question
 * was sent, and a hold or wait that ended never comes back as the same. So at the moment in between, the whole circle existed at
 * once. A daemon answers when its clients have echoed (`echoes.ts`), so this holds for what they know, too.
 */
import type { Runner } from '../host/runner.ts'
import { type Circle, circleText, Graph } from '../protocol/circles.ts'
import type { CallerId } from '../protocol/state.ts'
import type { CallerQueue } from './caller-queue.ts'
import { DeadlockError } from './errors.ts'
import { mayHold, type Nesting } from './holders.ts'
import type { Wish } from './options.ts'
import { HOLDERS, type Survey } from './survey.ts'

/** How a node follows its callers. */
export interface Following {
  readonly nesting: Nesting | null
  /** Milliseconds of waiting before it looks for a deadlock; 0 for never. */
  readonly after: number
}

/** A caller that goes on waiting is checked again, with growing pauses. This is the longest one, in units of the first wait. */
const LONGEST = 8

export class Deadlocks {
  readonly #runner: Runner
  readonly #survey: Survey
  readonly #callers: CallerQueue
  /** Milliseconds; 0 if it never looks. */
  readonly #after: number
  /** Since when each caller has waited. */
  readonly #watched = new Map<CallerId, number>()
  #timer: NodeJS.Timeout | undefined
  #pause: number

  constructor(runner: Runner, survey: Survey, callers: CallerQueue, after: number) {
    this.#runner = runner
    this.#survey = survey
    this.#callers = callers
    this.#after = after
    this.#pause = after
    callers.onUpgrade = (caller) => this.#follow(caller)
  }

  /** Watches the caller that has asked, if it waits. */
  watch(caller: CallerId, { holders }: Wish): void {
    if (holders !== undefined && mayHold(holders) && this.#callers.isWaiting(caller)) this.#follow(caller)
  }

  #follow(caller: CallerId): void {
    if (this.#after === 0) return
    this.#watched.set(caller, this.#runner.now)
    this.#pause = this.#after
    this.#arm(this.#after)
  }

  #arm(pause: number): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.#look(), pause)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    try {
      for (const caller of this.#watched.keys())
        if (!this.#callers.isWaiting(caller)) this.#watched.delete(caller)
      await this.#end(this.#due())
    } catch {
      // Without a quorum, and after the node has left, members cannot be asked.
    }
    this.#timer = undefined
    if (this.#watched.size === 0) return
    const left = Math.max(...this.#watched.values()) + this.#after - this.#runner.now
    if (left > 0) return this.#arm(left)
    this.#arm(this.#pause)
    this.#pause = Math.min(2 * this.#pause, LONGEST * this.#after)
  }

  /** Callers that have waited for long, and whose wait keeps a lock of this node from being released. */
  #due(): readonly CallerId[] {
    const late = this.#runner.now - this.#after
    const long = [...this.#watched].filter(([, since]) => since <= late).map(([caller]) => caller)
    if (long.length === 0) return []
    const names = this.#survey.own(HOLDERS)
    const held = new Set(names.flatMap((name) => name.held.map(({ about }) => about?.holders.at(-1))))
    const keeping = names.flatMap(({ pending }) =>
      pending.flatMap(({ about }) => (about?.holders.some((holder) => held.has(holder)) ? about.id : [])),
    )
    return long.filter((caller) => keeping.includes(Number(caller)))
  }

  async #end(callers: readonly CallerId[]): Promise<void> {
    const epoch = this.#epoch
    if (callers.length === 0 || epoch === null) return
    const first = new Graph(await this.#survey.askHolders())
    const circles = callers.flatMap((caller) => circleOf(first, this.#runner.node.id, caller) ?? [])
    if (circles.length === 0) return
    const second = new Graph(await this.#survey.askHolders())
    // Answers from another view may come from another session, which numbers its callers anew.
    if (this.#epoch !== epoch) return
    for (const { caller, circle } of circles) {
      if (second.has(circle)) this.#callers.giveUp(caller, deadlock(circle))
    }
  }

  get #epoch(): number | null {
    return this.#runner.node.begun?.epoch ?? null
  }
}

const circles = new WeakMap<Error, Circle>()

function deadlock(circle: Circle, may?: (name: string) => boolean): DeadlockError {
  const error = new DeadlockError(`deadlock: ${circleText(circle, may)}`)
  circles.set(error, circle)
  return error
}

/** The same for a reader who may not see all names. */
export function deadlockSeenBy(error: DeadlockError, may: (name: string) => boolean): DeadlockError {
  const circle = circles.get(error)
  return circle === undefined ? error : deadlock(circle, may)
}

function circleOf(graph: Graph, node: string, caller: CallerId): { caller: CallerId; circle: Circle } | null {
  const wait = graph.waits.find((each) => each.node === node && each.about.id === caller)
  const circle = wait === undefined ? null : graph.circleOf(wait)
  return circle === null ? null : { caller, circle }
}

import { type AnyProtocol, type Ask, isElection, type NodeId } from '@turnwise/core/algorithm'
import { CostJudge } from '@turnwise/core/judges/cost-judge'
import { ElectionJudge } from '@turnwise/core/judges/election-judge'
import { Findings, type Violation } from '@turnwise/core/judges/findings'
import { HoldJudge } from '@turnwise/core/judges/hold-judge'
import { OrderJudge } from '@turnwise/core/judges/order-judge'
import { ProgressJudge } from '@turnwise/core/judges/progress-judge'
import type { Setup } from '@turnwise/core/setup'
import { TICKS_PER_UNIT, type TraceEvent } from '@turnwise/core/trace/trace'

/** All judges of a run, told of everything that happens in it. They see what nodes do, never their states. */
export class Jury {
  readonly holds: HoldJudge
  readonly progress = new ProgressJudge()
  readonly order: OrderJudge
  readonly cost: CostJudge
  /** Content where no election is held. */
  readonly election = new ElectionJudge()
  /** Rules of the contract or of a paper that a handler broke: it said so itself, or the host noticed. */
  readonly rules = new Findings('rules')
  entries = 0
  readonly #warmup: number
  #entered = 0
  #left = 0
  #counting: boolean

  /** What it finds is recorded. */
  constructor(
    algorithm: AnyProtocol,
    { nodes, entries }: Setup,
    record: ((event: TraceEvent) => void) | null,
    warmup = 0,
  ) {
    this.holds = new HoldJudge(entries, isElection(algorithm) ? {} : algorithm.shapes.fence)
    this.order = new OrderJudge(nodes)
    this.cost = new CostJudge(nodes)
    this.#warmup = warmup
    this.#counting = warmup === 0
    if (record === null) return
    for (const findings of this.#findings)
      findings.heard = (violation) => record({ ...violation, is: 'violation' })
  }

  /** This node is inside when the world begins. That is no entry of the run, and its exit no exit of the warm-up. */
  began(node: NodeId, { mode, resources }: Pick<Ask, 'mode' | 'resources'>): void {
    this.holds.exclusion.entered(0, node, mode, resources)
    this.cost.entered(0, node, false)
    this.#left -= 1
  }

  /** `arrived` is when the caller came, which is earlier than now if it had to queue at its own node. */
  requested(now: number, node: NodeId, arrived: number, priority = 0): void {
    this.#countFromHere()
    this.progress.requested(now, node)
    this.order.requested(node)
    this.cost.requested(now, node, arrived, priority)
  }

  entered(now: number, node: NodeId, { mode, resources }: Ask, fence: number): void {
    this.#countFromHere()
    this.#entered += 1
    const counted = this.#entered > this.#warmup
    if (counted) this.entries += 1
    this.holds.entered(now, node, mode, fence, resources)
    this.progress.settled(node)
    this.order.entered(node, counted)
    this.cost.entered(now, node, counted)
  }

  /** It was inside to update, and is alone from now on: no other entry, but a hold with a fence of its own. */
  upgraded(now: number, node: NodeId, fence: number): void {
    this.holds.entered(now, node, 'exclusive', fence)
  }

  /** It left, or crashed inside: the section is free either way. */
  left(now: number, node: NodeId): void {
    this.#left += 1
    this.holds.left(node)
    this.cost.left(now)
  }

  ended(now: number, stillWaiting: (node: NodeId) => boolean): void {
    this.progress.ended(now, TICKS_PER_UNIT)
    this.order.ended(stillWaiting)
  }

  get violations(): Violation[] {
    return this.#findings.flatMap((findings) => findings.first)
  }

  get #findings(): Findings[] {
    const { holds, progress, election, rules } = this
    return [...holds.findings, progress.findings, ...election.findings, rules]
  }

  /**
   * Warm-up ends when the last uncounted entry has left and the next request or entry comes: what its exit
   * sent belongs to it.
   */
  #countFromHere(): void {
    if (this.#counting || this.#left < this.#warmup) return
    this.#counting = true
    this.cost.startCounting()
  }
}

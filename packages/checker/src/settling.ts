import { isElection } from '@turnwise/core/algorithm'
import { get, intAt } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Budgets, Instance } from './instance.ts'
import type { Compiled, LocalSteps } from './local-steps.ts'
import type { Layout } from './world-layout.ts'

/**
 * Messages of which an algorithm says that they are settled (`Algorithm.settled`) are received as soon as they are. So they do not pile up, and
 * runs of any length may have finitely many worlds.
 *
 * What an algorithm promises. The receipt of a settled message sends nothing, lets nobody in, and changes no status, timer or token; `flaw`
 * tells if it does. The message stays settled. And the receipt commutes with every other step of its receiver: both orders send the same and
 * lead to the same state. It always commutes with the steps of other nodes, since these only put messages behind it. The proof is
 * beside the rules. `settlingFlaw` looks for a step of the full search that breaks it.
 *
 * Why nothing is lost. Let S(w) be the world w after all receipts of settled messages. w leads to S(w), so each world found is one of the
 * algorithm, and so is each run. Let w have a step to v. If it is such a receipt, then S(v) = S(w). Otherwise S(w) has the same step, to a world u, and
 * S(u) = S(v). If S(w) has a step, w has it too: in a fifo channel after the settled messages before it. In w and S(w) the same nodes wait and
 * are inside, and tokens are as many. So w and S(w) are branching bisimilar. (Groote and van de Pol, "State space reduction using partial
 * tau-confluence", MFCS 2000, LNCS 1893.) A run has no end of settled receipts in a row, because each leaves one message less. So they make no
 * deadlock and prevent none.
 *
 * Fairness. A message that is not settled and stays deliverable stays so in both worlds. So a fair run of either is one of the other. Hence every
 * property is kept, and so are messages per entry and overtaking, which settled receipts do not count for.
 *
 * With bounded gaps (`Gaps`) a step ends with its settled receipts. An algorithm finds them by comparing values of one clock, so they are the
 * same in all worlds that one with gaps stands for. What holds is proved, as without.
 */
export class Settling {
  readonly #instance: Instance
  readonly #layout: Layout
  readonly #steps: LocalSteps
  /** A receipt that does more than it may; null if there is none. Its message is left under way. */
  flaw: string | null = null
  readonly #harmless = new WeakMap<readonly Compiled[], boolean>()

  constructor(instance: Instance, layout: Layout, steps: LocalSteps) {
    this.#instance = instance
    this.#layout = layout
    this.#steps = steps
  }

  /** Receives the settled messages; returns the new size. */
  settle(world: Int32Array, size: number): number {
    let before = -1
    let end = size
    while (end !== before && end > this.#layout.header) {
      before = end
      end = this.#receiveSettled(world, end)
    }
    return end
  }

  #receiveSettled(world: Int32Array, size: number): number {
    const { header, parts } = this.#layout
    const isSettled = this.#judge(world, size)
    let end = header
    let lastGroup = -1
    for (let i = header; i < size; i += 1) {
      const envelope = intAt(world, i)
      const group = get(parts.groups, envelope)
      if (group !== lastGroup && isSettled[i - header] === true && this.#isReceived(world, envelope)) continue
      // In a fifo channel all later messages wait for this one; in others no message waits.
      lastGroup = group
      world[end] = envelope
      end += 1
    }
    return end
  }

  #judge(world: Int32Array, size: number): readonly boolean[] {
    const { algorithm, setup } = this.#instance
    if (isElection(algorithm) || algorithm.settled === undefined) return []
    const states = Array.from({ length: setup.nodes }, (_, node) => this.#layout.localOf(world, node).state)
    const underWay = Array.from(world.subarray(this.#layout.header, size), (id) =>
      get(this.#layout.parts.envelopes, id),
    )
    return algorithm.settled(states, underWay, setup)
  }

  /** Receives a message; false if more comes of it than another state of the receiver. */
  #isReceived(world: Int32Array, envelope: number): boolean {
    const { to, message } = get(this.#layout.parts.envelopes, envelope)
    const before = intAt(world, to)
    const results = this.#steps.received(before, envelope)
    let isHarmless = this.#harmless.get(results)
    if (isHarmless === undefined) {
      isHarmless = this.#isHarmless(before, results)
      this.#harmless.set(results, isHarmless)
    }
    if (isHarmless) world[to] = get(results, 0).local
    else this.flaw ??= `node ${to} answers a settled ${message.type}`
    return isHarmless
  }

  /** Whether nothing comes of it but another state. */
  #isHarmless(before: number, results: readonly Compiled[]): boolean {
    const { locals } = this.#layout.parts
    const { algorithm, setup } = this.#instance
    const [result] = results
    if (result === undefined || results.length > 1 || result.outcome.broke !== null) return false
    const [was, is] = [get(locals, before), get(locals, result.local)]
    const { tokens } = algorithm
    for (let resource = 0; resource < setup.resources; resource += 1)
      if (tokens?.held(was.state, resource) !== tokens?.held(is.state, resource)) return false
    const others = (local: typeof was) => JSON.stringify({ ...local, state: null })
    return result.messages === 0 && !result.entered && others(was) === others(is)
  }
}

/** Refuses an instance in which settled messages cannot be received at once. */
export function requireSettleable(instance: Instance): void {
  const why = whyUnsettled(instance)
  if (why !== null) throw new InvalidInput(`settle: ${why}`)
}

/** Null if the proof of the algorithm holds for this instance. */
export function whyUnsettled(instance: Instance): string | null {
  const { algorithm, setup, budgets, clock, room, reduced } = instance
  const trouble = (Object.keys(budgets) as (keyof Budgets)[]).find((name) => budgets[name] > 0)
  if (isElection(algorithm) || algorithm.settled === undefined)
    return `${algorithm.facts.name} does not say which messages are settled`
  if (trouble !== undefined) return `with ${trouble} nothing is proved about settled messages`
  if (setup.dead.length > 0) return 'with dead nodes nothing is proved about settled messages'
  if (clock !== undefined) return 'a bound on clocks would leave out other worlds'
  if (room !== undefined) return 'a bound on channels would leave out other worlds'
  return reduced === undefined ? null : 'with a reduction nothing is proved about settled messages'
}

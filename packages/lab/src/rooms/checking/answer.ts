import { Check } from '@turnwise/checker/check'
import { asksForFences, FenceCheck } from '@turnwise/checker/fence-check'
import type { Instance } from '@turnwise/checker/instance'
import { counterexample, type PropertyResult } from '@turnwise/checker/property'
import { isElection } from '@turnwise/core/algorithm'
import type { Trace } from '@turnwise/core/trace/trace'
import { formulaText } from '../../run/counters.ts'

/** How far a search is. */
export interface Searching {
  readonly is: 'searching'
  readonly states: number
}

/** The result: plain data, as a worker hands it over. */
export interface Answer {
  readonly is: 'answer'
  /** Every state was visited. */
  readonly complete: boolean
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly properties: readonly Pick<PropertyResult, 'name' | 'holds' | 'reason'>[]
  readonly messages: { readonly min: number; readonly max: number | null } | null
  readonly formula: string
  /** Null if overtaking has no bound, or the bound is not known. */
  readonly maxOvertaking: number | null | undefined
  readonly failure: { readonly property: string; readonly reason: string; readonly trace: Trace } | null
}

/** A page has less memory than a command line. What is undecided at this limit stays open. */
export const MOST_STATES = 4_000_000
const SLICE = 5_000

/** Explores in slices; `Searching` comes after each, the answer last. */
export function* answering(instance: Instance): Generator<Searching, Answer> {
  const check = new Check(instance, MOST_STATES)
  while (!check.run(SLICE)) yield { is: 'searching', states: check.search.states }
  yield { is: 'searching', states: check.search.states }
  const { result } = check
  const failsAlready = result.properties.some(({ holds }) => holds === false)
  const fences = asksForFences(instance) ? new FenceCheck(instance, MOST_STATES) : null
  if (fences !== null && result.complete && !failsAlready) {
    while (!fences.run(SLICE)) yield { is: 'searching', states: result.states + fences.states }
  }
  const properties = [...result.properties, ...(fences === null ? [] : [fences.result])]
  const broken = properties.find(({ trace }) => trace !== null)
  const trace = broken === undefined ? null : counterexample(instance, broken)
  return {
    is: 'answer',
    complete: result.complete,
    states: result.states,
    transitions: result.transitions,
    depth: result.depth,
    properties: properties.map(({ name, holds, reason }) => ({ name, holds, reason })),
    messages: isElection(instance.algorithm)
      ? result.messagesPerElection
      : (result.extremes?.messagesPerEntry ?? null),
    formula: formulaText(instance.algorithm, instance.setup),
    maxOvertaking: result.extremes?.maxOvertaking,
    failure:
      broken === undefined || trace === null
        ? null
        : { property: broken.name, reason: broken.reason ?? '', trace },
  }
}

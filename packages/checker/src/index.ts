/** What a program uses of the checker: `check` for an algorithm as turnwise writes them, `explore` for anything else. */
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { readOptions } from '@turnwise/core/options'
import { arrange, type Wishes } from '@turnwise/core/setup'
import type { Trace } from '@turnwise/core/trace/trace'
import { type Asked, instanceOf } from './asked-instance.ts'
import { Check, type CheckResult } from './check.ts'
import { asksForFences, FenceCheck } from './fence-check.ts'
import type { Budgets, Instance } from './instance.ts'
import { counterexample, type PropertyResult } from './property.ts'

export {
  type Exploration,
  explore,
  type Model,
  type PlainModel,
  type Progress,
  plain,
  type Visit,
} from './explore.ts'
export type { Extremes } from './extremes.ts'
export type { Budgets, Instance } from './instance.ts'
export type { PropertyName, PropertyResult } from './property.ts'

/** What `check` is asked. Only `nodes` must be given. */
export interface CheckOptions extends Partial<Asked>, Omit<Wishes<object>, 'options' | 'absent'> {
  /** Options of the algorithm, each as `name=value`. */
  readonly set?: readonly string[]
  /** How often each kind of trouble may come; none does if it is not said. */
  readonly trouble?: Partial<Budgets>
  /** The search is cut short there. Default 10,000,000. */
  readonly mostStates?: number
}

/** What `check` decided. */
export interface Checked extends CheckResult {
  /** Every property was decided, and holds. */
  readonly holds: boolean
  /** The first that fails. */
  readonly failure: PropertyResult | null
  /** A shortest run against it, to be shown, saved or replayed. */
  readonly counterexample: Trace | null
}

const MOST_STATES = 10_000_000

/** Explores every interleaving of an algorithm in one small world and decides all properties. */
export function check(algorithm: AnyProtocol, options: CheckOptions): Checked {
  const { set = [], trouble = {}, mostStates = MOST_STATES, requests = 1, ...rest } = options
  const given = readOptions(algorithm.options, set, algorithm.facts.name)
  const { setup } = arrange(algorithm.facts, { ...rest, options: given })
  return checkInstance(instanceOf({ algorithm, setup }, { ...rest, requests }, trouble), mostStates)
}

/** The same for an instance that is complete. Whether fences rise is asked if all else was seen. */
export function checkInstance(instance: Instance, mostStates: number): Checked {
  const check = new Check(instance, mostStates)
  while (!check.run(SLICE));
  const properties = [...check.result.properties]
  if (check.result.complete && asksForFences(instance)) {
    const fences = new FenceCheck(instance, mostStates)
    while (!fences.run(SLICE));
    properties.push(fences.result)
  }
  const failure = properties.find(({ holds }) => holds === false) ?? null
  return {
    ...check.result,
    properties,
    holds: properties.every(({ holds }) => holds === true),
    failure,
    counterexample: failure && counterexample(instance, failure),
  }
}

const SLICE = 100_000

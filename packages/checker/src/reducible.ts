import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { hasTimeouts } from '@turnwise/core/facts'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Budgets, Instance } from './instance.ts'
import type { PropertyName } from './property.ts'

/**
 * The properties of single worlds and steps that `Reduction` keeps. If the receiver decides whether a token is void, a step of the
 * receiver changes how many tokens there are. Then one-token is not among them.
 */
export function reducibleOf(algorithm: AnyProtocol): PropertyName[] {
  if (isElection(algorithm)) return ['one-coordinator', 'agreement', 'highest', 'no-deadlock', 'rules']
  const { tokens } = algorithm
  const counted: PropertyName[] = tokens === undefined || tokens.isVoid !== undefined ? [] : ['one-token']
  return ['exclusion', ...counted, 'no-deadlock', 'rules']
}

/** Refuses an instance in which steps of different nodes depend on each other, and properties of whole runs. */
export function requireReducible(instance: Instance): void {
  const why = whyIrreducible(instance)
  if (why !== null) throw new InvalidInput(`reduction: ${why}`)
}

/** Null if a reduction is sound for this instance. */
export function whyIrreducible(instance: Instance): string | null {
  const { algorithm, setup, budgets, clock, room, gaps, timing, settled, only = [] } = instance
  const { facts } = algorithm
  const trouble = (Object.keys(budgets) as (keyof Budgets)[]).find((name) => budgets[name] > 0)
  const other = only.find((name) => !reducibleOf(algorithm).includes(name))
  if (trouble !== undefined) return `${trouble} are not steps of one node`
  if (setup.dead.length > 0) return 'the crash of a node that is dead at first is noticed elsewhere'
  if (clock !== undefined) return 'a bound on clocks ends runs, and the order of steps decides which'
  if (room !== undefined) return 'a bound on channels ends runs, and the order of steps decides which'
  if (gaps !== undefined) return 'with bounded gaps the order of steps matters'
  if (settled === true) return 'settled messages come before other steps'
  if (facts.medium === 'ordered broadcast')
    return `${facts.name} broadcasts in one order, so the order of steps matters`
  if (timing === 'bounded' && hasTimeouts(facts))
    return 'bounded time-outs wait until no node has another step'
  if (other !== undefined) return `${other} needs every run; it keeps ${reducibleOf(algorithm).join(', ')}`
  return null
}

import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { hasTimeouts } from '@turnwise/core/facts'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Budgets, Instance } from './instance.ts'
import type { PropertyName } from './property.ts'

/**
 * The properties of single worlds and steps that `Reduction` keeps. Whether a token is void may depend on its receiver, so that a step elsewhere
 * changes how many there are: then one-token is not among them.
 */
export function reducibleOf(algorithm: AnyProtocol): PropertyName[] {
  if (isElection(algorithm)) return ['one-coordinator', 'agreement', 'highest', 'no-deadlock', 'rules']
  const { tokens } = algorithm
  const counted: PropertyName[] = tokens === undefined || tokens.isVoid !== undefined ? [] : ['one-token']
  return ['exclusion', ...counted, 'no-deadlock', 'rules']
}

/** Refuses an instance in which steps of different nodes depend on each other, and properties of whole runs. */
export function requireReducible(instance: Instance): void {
  const { algorithm, setup, budgets, clock, gaps, timing, only = [] } = instance
  const { facts } = algorithm
  const trouble = (Object.keys(budgets) as (keyof Budgets)[]).find((name) => budgets[name] > 0)
  const other = only.find((name) => !reducibleOf(algorithm).includes(name))
  if (trouble !== undefined) throw refused(`${trouble} are not steps of one node`)
  if (setup.dead.length > 0) throw refused('the crash of a node that is dead at first is noticed elsewhere')
  if (clock !== undefined) throw refused('a bound on clocks ends runs, and the order of steps decides which')
  if (gaps !== undefined) throw refused('with bounded gaps the order of steps matters')
  if (facts.medium === 'ordered broadcast')
    throw refused(`${facts.name} broadcasts in one order, so the order of steps matters`)
  if (timing === 'bounded' && hasTimeouts(facts))
    throw refused('bounded time-outs wait until no node has another step')
  if (other !== undefined)
    throw refused(`${other} needs every run; it keeps ${reducibleOf(algorithm).join(', ')}`)
}

function refused(why: string): InvalidInput {
  return new InvalidInput(`reduction: ${why}`)
}

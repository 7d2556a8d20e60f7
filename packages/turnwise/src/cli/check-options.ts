import type { Instance } from '@turnwise/checker/instance'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { misfits, survived } from '@turnwise/core/options'
import { structureFlaws } from '@turnwise/simulator/assumptions'
import { readersFrom } from '@turnwise/simulator/configuration'
import { DEAD_FORMS } from '@turnwise/simulator/election-configuration'
import type { Command } from 'commander'
import { given } from './input.ts'
import { addWorldOptions, channelsOption, chosenBy, type WorldOptions, worldFrom } from './run-options.ts'

/** The options of a check as commander hands them over: texts, as they were written. */
export interface CheckOptions extends WorldOptions {
  readonly nodes?: string
  readonly requests: string
  readonly channels?: string
  readonly timing?: string
  readonly crashes: string
  readonly dead: string
  readonly drops: string
  readonly duplicates: string
  readonly withdrawals: string
  readonly suspicions: string
  readonly readers: string
  readonly maxStates: string
}

const DEFAULT_NODES = '3'
/** A world keeps one bit per node, and no instance of that size can be explored anyway. */
const MOST_NODES = 16
/** Each budget is kept in four bits. */
const MOST_TROUBLE = 15

export function addCheckOptions(command: Command): Command {
  return addWorldOptions(
    command
      .option('--nodes <count>', `how many nodes (default: ${DEFAULT_NODES})`)
      .option('--requests <count>', 'how often each node may ask or call an election, or any', '1'),
  )
    .option(
      '--timing <kind>',
      'bounded: time-outs fire only when nothing else can happen; any: at any moment',
    )
    .option('--dead <nodes>', `who is dead when the world begins: ${DEAD_FORMS}`, 'none')
    .option('--crashes <count>', 'how many nodes may crash', '0')
    .option('--drops <count>', 'how many messages may be lost', '0')
    .option('--duplicates <count>', 'how many messages may arrive twice', '0')
    .option('--withdrawals <count>', 'how many requests may be taken back', '0')
    .option('--suspicions <count>', 'how often a living node may be suspected', '0')
    .option('--readers <share>', '0: nobody shares, 1: all do, between: each request may or may not', '0')
    .option('--max-states <count>', 'give up after so many states', '10000000')
}

export function instanceFrom(
  asked: AnyProtocol,
  options: CheckOptions,
): { instance: Instance; mostStates: number; notes: readonly string[] } {
  const algorithm = chosenBy(asked, options.set)
  const { facts } = algorithm
  const count = (name: string, text: string, min: number, max?: number) =>
    given(`--${name}`, text, () => wholeNumber(text, `a number for --${name}`, min, max))
  const file = [options.topology, options.quorum, options.structure].some(
    (text) => text?.endsWith('.json') ?? false,
  )
  const { setup, notes } = worldFrom(
    algorithm,
    options,
    options.nodes ?? (file ? undefined : DEFAULT_NODES),
    1,
    options.dead,
  )
  if (setup.nodes > MOST_NODES) {
    throw new InvalidInput(`--nodes: "${setup.nodes}" is too many to explore: at most ${MOST_NODES}`)
  }
  const channels = channelsOption(options.channels) ?? facts.channels
  const budget = (name: 'crashes' | 'drops' | 'duplicates' | 'withdrawals' | 'suspicions') =>
    count(name, options[name], 0, name === 'crashes' ? Math.min(setup.nodes, MOST_TROUBLE) : MOST_TROUBLE)
  const instance: Instance = {
    algorithm,
    setup,
    requests: options.requests === 'any' ? null : requestsFrom(options.requests),
    channels,
    timing: timingFrom(options.timing) ?? facts.timing,
    readers: given('--readers', options.readers, () => readersOf(readersFrom(options.readers, facts))),
    budgets: {
      crashes: budget('crashes'),
      drops: budget('drops'),
      duplicates: budget('duplicates'),
      withdrawals: budget('withdrawals'),
      suspicions: budget('suspicions'),
    },
  }
  if (algorithm.suspect === undefined && instance.budgets.suspicions > 0) {
    throw new InvalidInput(`--suspicions: ${facts.name} has no failure detector to be wrong`)
  }
  const broken = brokenAssumptions(instance)
  const warning = `warning: outside the assumptions of ${facts.name}: ${broken.join('; ')}`
  return {
    instance,
    mostStates: count('max-states', options.maxStates, 1),
    notes: broken.length === 0 ? notes : [...notes, warning],
  }
}

/** In which ways the instance leaves what the algorithm assumes. */
function brokenAssumptions({ algorithm, setup, channels, budgets }: Instance): string[] {
  const { facts } = algorithm
  const broken = facts.channels === 'fifo' && channels === 'unordered' ? ['channels do not keep order'] : []
  const claimed = survived(algorithm, setup.options)
  const trouble = { crash: budgets.crashes, drop: budgets.drops, duplicate: budgets.duplicates }
  const kinds = (['crash', 'drop', 'duplicate'] as const).filter(
    (kind) => trouble[kind] > 0 && !claimed.includes(kind),
  )
  if (kinds.length > 0) broken.push(`it does not claim to survive ${kinds.join(', ')}`)
  if (budgets.crashes > (facts.mostCrashes ?? budgets.crashes)) {
    broken.push(`at most ${facts.mostCrashes} may crash`)
  }
  if (!isElection(algorithm) && setup.dead.length > 0 && !claimed.includes('crash')) {
    broken.push('it does not claim to survive nodes that are dead')
  }
  broken.push(...structureFlaws(setup), ...misfits(algorithm.options, setup.options, setup.nodes))
  return broken
}

function requestsFrom(text: string): number {
  return given('--requests', text, () => {
    if (!/^\d+$/.test(text)) throw invalid(text, 'a number of requests, 1 or more, or any')
    return wholeNumber(text, 'a number of requests', 1)
  })
}

function timingFrom(text: string | undefined): 'bounded' | 'any' | undefined {
  if (text === undefined || text === 'bounded' || text === 'any') return text
  throw new InvalidInput(`--timing: ${invalid(text, 'one of bounded, any').message}`)
}

/** All that a share of requests tells the checker, which tries every choice. */
function readersOf(share: number): 'none' | 'some' | 'all' {
  return share === 0 ? 'none' : share === 1 ? 'all' : 'some'
}

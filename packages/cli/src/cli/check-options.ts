import { instanceOf, setsFrom } from '@turnwise/checker/asked-instance'
import type { Budgets, Instance } from '@turnwise/checker/instance'
import { clocksOf } from '@turnwise/checker/parts'
import { propertyNamed } from '@turnwise/checker/property'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { misfits } from '@turnwise/core/options'
import { highestPriority } from '@turnwise/core/priorities'
import type { Setup } from '@turnwise/core/setup'
import { structureFlaws } from '@turnwise/simulator/broken-assumptions'
import { readersFrom } from '@turnwise/simulator/configuration'
import { DEAD_FORMS } from '@turnwise/simulator/election-configuration'
import { CHANGE_BY_BUDGET, requireRule } from '@turnwise/simulator/membership-faults'
import { type Command, Option } from 'commander'
import { given } from '../terminal/input.ts'
import {
  addWorldOptions,
  channelsOption,
  chosenBy,
  collect,
  type WorldOptions,
  worldFrom,
} from './run-options.ts'

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
  readonly restarts: string
  readonly memory?: string
  readonly unlinks: string
  readonly links: string
  readonly joins: string
  readonly leaves: string
  readonly readers: string
  readonly downgrades?: boolean
  readonly updates?: boolean
  readonly priorities: string
  readonly sets?: string
  readonly clock?: string
  readonly room?: string
  readonly gaps?: string
  readonly reduce?: boolean
  readonly settle?: boolean
  readonly only: readonly string[]
  readonly maxStates: string
}

const DEFAULT_NODES = '3'
/** A world keeps one bit per node, and no instance of that size can be explored anyway. */
const MOST_NODES = 16
/** Each budget is kept in four bits. */
const MOST_TROUBLE = 15
/** More would be too many to explore. */
const MOST_PRIORITIES = 8

export function addCheckOptions(command: Command): Command {
  const common = addWorldOptions(
    command
      .option('--nodes <count>', `how many nodes (default: ${DEFAULT_NODES})`)
      .option(
        '--requests <count>',
        'how often each node may request (or call an election): a number, or any',
        '1',
      ),
  ).option(
    '--timing <kind>',
    'bounded: time-outs fire only when nothing else can happen; any: they fire at any moment',
  )
  return addBounds(
    addTroubles(common)
      .option('--priorities <count>', 'how many priorities there are: 0, 1, and so on', '1')
      .option(
        '--sets <words>',
        "which --resources each node asks for, such as '0,1 1,2 2,0'; / separates sets to choose from (default: any)",
      ),
  )
    .addOption(
      new Option('--only <property>', 'decide only this property, and ignore the others; may be repeated')
        .argParser(collect)
        .default([], 'all'),
    )
    .option('--max-states <count>', 'stop after this many states', '10000000')
}

/** What may go wrong, and how often. */
function addTroubles(command: Command): Command {
  return command
    .option('--dead <nodes>', `the nodes that are dead at the start: ${DEAD_FORMS}`, 'none')
    .option('--crashes <count>', 'how many nodes may crash', '0')
    .option('--drops <count>', 'how many messages may be lost', '0')
    .option('--duplicates <count>', 'how many messages may arrive twice', '0')
    .option('--withdrawals <count>', 'how many requests may be withdrawn', '0')
    .option('--suspicions <count>', 'how often a living node may be suspected', '0')
    .option('--restarts <count>', 'how many crashed nodes may restart', '0')
    .option(
      '--memory <kind>',
      'the memory of a node that restarts: kept, lost or either (default: either if the algorithm has a rule for restarts)',
    )
    .option('--unlinks <count>', 'how many channels may fail', '0')
    .option('--links <count>', 'how many channels may recover or be added', '0')
    .option('--joins <count>', 'how many nodes may join: as many, the last ones, are absent at first', '0')
    .option('--leaves <count>', 'how many nodes may leave', '0')
    .option('--readers <share>', '0: no request is shared; 1: all are; a number between: each may be', '0')
    .option('--downgrades', 'a node that is inside alone may become a reader without leaving')
    .option(
      '--updates',
      'each request may be in mode update, and a node inside in this mode may become exclusive',
    )
}

/** What keeps a search small. */
function addBounds(command: Command): Command {
  return command
    .option(
      '--clock <most>',
      'the highest value of a clock: states beyond it are not visited, and nothing is proved about them',
    )
    .option(
      '--room <most>',
      'how many messages may be under way from one node to another: states with more are not visited, and nothing is proved about them',
    )
    .option(
      '--gaps <most>',
      'treat all distances between clock values from this one on as equal: so a search of runs of any length may end. What holds is proved',
    )
    .option(
      '--reduce',
      'skip orders of steps that make no difference: fewer states. It decides only exclusion, one token, deadlocks and rules',
    )
    .option(
      '--settle',
      'receive messages at once when it makes no difference any more when they arrive, if the algorithm says which: so a search of runs of any length may end',
    )
}

export function instanceFrom(
  asked: AnyProtocol,
  askedOptions: CheckOptions,
): { instance: Instance; mostStates: number; notes: readonly string[] } {
  const { algorithm, options } = chosenBy(asked, askedOptions)
  const { facts } = algorithm
  const count = (name: string, text: string, min: number, max?: number) =>
    given(`--${name}`, text, () => wholeNumber(text, `a number for --${name}`, min, max))
  const file = [options.topology, options.quorum, options.structure].some(
    (text) => text?.endsWith('.json') ?? false,
  )
  const { setup: world, notes } = worldFrom(
    algorithm,
    options,
    options.nodes ?? (file ? undefined : DEFAULT_NODES),
    1,
    { dead: options.dead, mostNodes: MOST_NODES },
  )
  const budgets = budgetsFrom(options, world.nodes, count)
  const sets = setsOption(options.sets, algorithm, world)
  const instance = instanceOf(
    { algorithm, setup: world },
    {
      requests: requestsFrom(options.requests),
      channels: channelsOption(options.channels),
      timing: timingFrom(options.timing),
      readers: given('--readers', options.readers, () => readersOf(readersFrom(options.readers, facts))),
      downgrades: changesFrom('downgrade', options.downgrades, algorithm),
      updates: changesFrom('upgrade', options.updates, algorithm),
      priorities: given('--priorities', options.priorities, () =>
        prioritiesOf(options.priorities, algorithm, world),
      ),
      sets,
      memory: memoryFrom(options.memory),
      clock: clockFrom(options.clock, algorithm),
      room: roomFrom(options.room),
      gaps: gapsFrom(options, algorithm),
      reduced: options.reduce,
      settled: options.settle,
      ...(options.only.length === 0
        ? {}
        : { only: options.only.map((name) => given('--only', name, () => propertyNamed(name, algorithm))) }),
    },
    budgets,
  )
  requireRules(instance)
  if (algorithm.suspect === undefined && budgets.suspicions > 0) {
    throw new InvalidInput(`--suspicions: ${facts.name} has no failure detector`)
  }
  const broken = brokenAssumptions(instance)
  const warning = `warning: outside the assumptions of ${facts.name}: ${broken.join('; ')}`
  return {
    instance,
    mostStates: count('max-states', options.maxStates, 1),
    notes: broken.length === 0 ? notes : [...notes, warning],
  }
}

function budgetsFrom(
  options: CheckOptions,
  nodes: number,
  count: (name: keyof Budgets, text: string, min: number, max: number) => number,
): Budgets {
  const most = { crashes: nodes, joins: MOST_TROUBLE * (nodes - 1), leaves: MOST_TROUBLE * (nodes - 1) }
  const budget = (name: keyof Budgets) =>
    count(
      name,
      options[name],
      0,
      Math.min(MOST_TROUBLE, name in most ? most[name as 'crashes'] : MOST_TROUBLE),
    )
  return {
    crashes: budget('crashes'),
    drops: budget('drops'),
    duplicates: budget('duplicates'),
    withdrawals: budget('withdrawals'),
    suspicions: budget('suspicions'),
    restarts: budget('restarts'),
    unlinks: budget('unlinks'),
    links: budget('links'),
    joins: budget('joins'),
    leaves: budget('leaves'),
  }
}

/** What may happen must have a rule, and something it can happen to. */
function requireRules({ algorithm, setup, budgets }: Instance): void {
  for (const [name, change] of Object.entries(CHANGE_BY_BUDGET)) {
    const text = budgets[name as keyof Budgets]
    if (text > 0) given(`--${name}`, String(text), () => requireRule(algorithm, change))
  }
  if (budgets.restarts > 0 && budgets.crashes === 0 && setup.dead.length === 0) {
    throw new InvalidInput('--restarts: no node can crash and run again: see --crashes and --dead')
  }
}

/** In which ways the instance leaves what the algorithm assumes. */
function brokenAssumptions({ algorithm, setup, channels, budgets }: Instance): string[] {
  const { facts } = algorithm
  const broken = facts.channels === 'fifo' && channels === 'unordered' ? ['channels do not keep order'] : []
  const trouble = {
    crash: budgets.crashes,
    drop: budgets.drops,
    duplicate: budgets.duplicates,
    restart: budgets.restarts,
    add: budgets.joins,
    remove: budgets.leaves,
    link: budgets.links,
    unlink: budgets.unlinks,
  }
  const kinds = (Object.keys(trouble) as (keyof typeof trouble)[]).filter(
    (kind) => trouble[kind] > 0 && !facts.faults.includes(kind),
  )
  if (kinds.length > 0) broken.push(`it does not claim to survive ${kinds.join(', ')}`)
  if (budgets.crashes > (facts.mostCrashes ?? budgets.crashes)) {
    broken.push(`at most ${facts.mostCrashes} may crash`)
  }
  if (!isElection(algorithm) && setup.dead.length > 0 && !facts.faults.includes('crash')) {
    broken.push('it does not claim to survive nodes that are dead')
  }
  broken.push(...structureFlaws(setup), ...misfits(algorithm.options, setup.options, setup.nodes))
  return broken
}

/** Of elections others are decided than of algorithms. */
function requestsFrom(text: string): number | 'any' {
  if (text === 'any') return text
  return given('--requests', text, () => {
    if (!/^\d+$/.test(text)) throw invalid(text, 'a number of requests, 1 or more, or any')
    return wholeNumber(text, 'a number of requests', 1)
  })
}

function timingFrom(text: string | undefined): 'bounded' | 'any' | undefined {
  if (text === undefined || text === 'bounded' || text === 'any') return text
  throw new InvalidInput(`--timing: ${invalid(text, 'one of bounded, any').message}`)
}

function memoryFrom(text: string | undefined): Instance['memory'] {
  if (text === undefined || text === 'kept' || text === 'lost' || text === 'either') return text
  throw new InvalidInput(`--memory: ${invalid(text, 'one of kept, lost, either').message}`)
}

function clockFrom(text: string | undefined, algorithm: AnyProtocol): number | undefined {
  if (text === undefined) return undefined
  if (clocksOf(algorithm).length === 0)
    throw new InvalidInput(`--clock: ${algorithm.facts.name} keeps no clock`)
  return given('--clock', text, () => wholeNumber(text, 'a bound for clocks', 1))
}

function roomFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return given('--room', text, () => wholeNumber(text, 'a number of messages', 1))
}

/** A bound on distances between clock values: not with a bound on the values, nor where a node may begin anew at 0. */
function gapsFrom(options: CheckOptions, algorithm: AnyProtocol): number | undefined {
  const { gaps } = options
  if (gaps === undefined) return undefined
  if (clocksOf(algorithm).length === 0)
    throw new InvalidInput(`--gaps: ${algorithm.facts.name} keeps no clock`)
  if (options.clock !== undefined) throw new InvalidInput('--gaps and --clock exclude each other')
  for (const name of ['restarts', 'joins', 'leaves', 'links', 'unlinks'] as const)
    if (options[name] !== '0') throw new InvalidInput(`--gaps and --${name} exclude each other`)
  return given('--gaps', gaps, () => wholeNumber(gaps, 'a distance of clock values', 1))
}

function changesFrom(rule: 'downgrade' | 'upgrade', isGiven = false, algorithm: AnyProtocol): boolean {
  const what = rule === 'upgrade' ? 'updates' : 'downgrades'
  if (isGiven && (isElection(algorithm) || algorithm[rule] === undefined))
    throw new InvalidInput(`--${what}: ${algorithm.facts.name} has no rule for ${what}`)
  return isGiven
}

function prioritiesOf(text: string, algorithm: AnyProtocol, { options }: Setup): number {
  const priorities = wholeNumber(text, 'a number of priorities', 1, MOST_PRIORITIES)
  const highest = priorities === 1 ? undefined : highestPriority(algorithm, options)
  if (priorities - 1 > (highest ?? Number.POSITIVE_INFINITY))
    throw invalid(text, `at most ${(highest ?? 0) + 1}: the highest priority is ${highest}`)
  return priorities
}

/** Read here for the complaint, and again by the checker. */
function setsOption(text: string | undefined, { facts }: AnyProtocol, setup: Setup): string | undefined {
  if (text === undefined && setup.resources === 1) return undefined
  if (text !== undefined && !('resources' in facts))
    throw new InvalidInput(`--sets: ${facts.name} serves one lock, so there are no sets to ask for`)
  given('--sets', text ?? 'any', () => setsFrom(text ?? 'any', setup))
  return text
}

/** All that a share of requests tells the checker, which tries every choice. */
function readersOf(share: number): 'none' | 'some' | 'all' {
  return share === 0 ? 'none' : share === 1 ? 'all' : 'some'
}

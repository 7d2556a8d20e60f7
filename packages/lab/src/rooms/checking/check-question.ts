import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import { asNamedNow } from '@turnwise/algorithms/former-settings'
import { instanceOf as instanceAsked } from '@turnwise/checker/asked-instance'
import { type Budgets, type Instance, NO_TROUBLE } from '@turnwise/checker/instance'
import { propertyNamed } from '@turnwise/checker/property'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { about, simulationConfig } from '@turnwise/simulator/configuration'
import { electionConfig } from '@turnwise/simulator/election-configuration'
import { CHANGE_BY_BUDGET, requireRule } from '@turnwise/simulator/membership-faults'
import type { World } from '@turnwise/workshop/world'
import { playable, protocolNamed } from '../../run/spec.ts'
import type { Query } from '../../shell/address.ts'

/** The question to check, in the words of the command line and of the address. */
export interface Question {
  readonly algorithm: string
  readonly nodes: number
  readonly requests: number | 'any'
  readonly channels?: string | undefined
  readonly topology?: string | undefined
  readonly quorum?: string | undefined
  readonly structure?: string | undefined
  readonly k?: number | undefined
  readonly resources?: number | undefined
  readonly sets?: string | undefined
  readonly dead?: string | undefined
  readonly timing?: string | undefined
  readonly memory?: string | undefined
  /** The properties to decide; none for all. */
  readonly only: readonly string[]
  readonly set: readonly string[]
  readonly budgets: Budgets
}

/** More cannot be explored in a page. */
export const MOST_CHECKED_NODES = 5
const MOST_TROUBLE = 3
export const MOST_RESOURCES = 5
export const BUDGETS = Object.keys(NO_TROUBLE) as readonly (keyof Budgets)[]

/** All that can be checked, and whose runs can be shown. */
export const checkable: readonly AnyProtocol[] = playable

/** The question of an address. An error begins with the name of the setting. */
export function readQuestion(query: Query): Question {
  const whole = (name: string, otherwise: number, min: number, max: number): number =>
    about(name, () => wholeNumber(query[name] ?? String(otherwise), `a number for ${name}`, min, max))
  const list = (name: string) => (query[name] ?? '').split(' ').filter((word) => word !== '')
  const requests = query['requests'] ?? '1'
  const budgets = BUDGETS.map((name) => [name, whole(name, 0, 0, MOST_TROUBLE)] as const)
  const { name: algorithm, settings: set } = asNamedNow({
    name: query['algorithm'] ?? 'lamport',
    settings: list('set'),
  })
  return {
    algorithm,
    nodes: whole('nodes', 3, 1, MOST_CHECKED_NODES),
    requests: requests === 'any' ? 'any' : whole('requests', 1, 1, 9),
    channels: query['channels'],
    topology: query['topology'],
    quorum: query['quorum'],
    structure: query['structure'],
    k: query['k'] === undefined ? undefined : whole('k', 2, 1, MOST_CHECKED_NODES),
    resources: query['resources'] === undefined ? undefined : whole('resources', 1, 1, MOST_RESOURCES),
    sets: query['sets'],
    dead: query['dead'],
    timing: query['timing'],
    memory: query['memory'],
    only: list('only'),
    set,
    budgets: { ...NO_TROUBLE, ...Object.fromEntries(budgets) },
  }
}

export function protocolOf({ algorithm: name }: Pick<Question, 'algorithm'>): AnyProtocol {
  return protocolNamed(name, checkable)
}

/** The world that a question is about. */
export function instanceOf(question: Question): Instance {
  const { nodes, channels, topology, quorum, structure, k, resources, dead = 'none', set, budgets } = question
  const asked = protocolOf(question)
  const wishes = {
    nodes,
    set,
    ...(channels === undefined ? {} : { channels }),
    ...(topology === undefined ? {} : { topology }),
    ...(quorum === undefined ? {} : { quorum }),
    ...(structure === undefined ? {} : { structure }),
    ...(k === undefined ? {} : { k }),
    ...(resources === undefined ? {} : { resources }),
  }
  const world = isElection(asked)
    ? electionConfig(asked, { ...wishes, dead })
    : simulationConfig(asked, wishes)
  const asking = { ...wordsOf(question, asked), channels: world.channels }
  const instance = about('sets', () => instanceAsked<AnyProtocol>(world, asking, budgets))
  const { algorithm } = instance
  for (const [name, change] of Object.entries(CHANGE_BY_BUDGET)) {
    if (budgets[name as keyof Budgets] > 0) about(name, () => requireRule(algorithm, change))
  }
  if (budgets.suspicions > 0 && algorithm.suspect === undefined) {
    throw new InvalidInput(`suspicions: ${algorithm.facts.name} has no failure detector`)
  }
  return instance
}

function wordsOf({ requests, sets, timing, memory, only }: Question, asked: AnyProtocol) {
  return {
    requests,
    sets,
    timing: oneOf('timing', timing, ['bounded', 'any'] as const),
    memory: oneOf('memory', memory, ['kept', 'lost', 'either'] as const),
    ...(only.length === 0
      ? {}
      : { only: only.map((name) => about('only', () => propertyNamed(name, asked))) }),
  }
}

function oneOf<Word extends string>(name: string, text: string | undefined, known: readonly Word[]) {
  const found = known.find((word) => word === text)
  if (text !== undefined && found === undefined)
    throw new InvalidInput(`${name}: ${invalid(text, `one of ${known.join(', ')}`).message}`)
  return found
}

/** The address of the smallest world in which a variant fails. */
export function queryOf({ algorithm, instance }: BrokenVariant<AnyProtocol>): Query {
  return queryOfWorld(algorithm.facts.name, instance)
}

/** The address at which the room Check asks about a world. */
export function queryOfWorld(algorithm: string, { set = [], only = [], ...words }: Partial<World>): Query {
  const texts = Object.entries(words).map(([name, value]) => [name, String(value)])
  return {
    algorithm,
    ...Object.fromEntries(texts),
    ...(set.length === 0 ? {} : { set: set.join(' ') }),
    ...(only.length === 0 ? {} : { only: only.join(' ') }),
  }
}

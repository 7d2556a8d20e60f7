/**
 * The models: each instance that is checked, with its results, in `packages/algorithms/models`. A record is
 * what a check of the same instance must give again, exactly.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import { algorithmNamed, electionNamed, elections } from '@turnwise/algorithms/catalogue'
import { innocents } from '@turnwise/algorithms/innocent/innocents'
import { checkInstance } from '@turnwise/checker'
import type { Instance } from '@turnwise/checker/instance'
import type { PropertyResult } from '@turnwise/checker/property'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import type { World } from '@turnwise/workshop/world'

/** One instance of an algorithm and what its check must give. */
export interface Model extends World {
  /** Too long for every run of the tests. */
  readonly slow?: true
  readonly expected?: Expected
}

export interface Expected {
  readonly states: number
  readonly transitions: number
  readonly depth: number
  /** The property that fails, with the length of the shortest run; absent where all hold. */
  readonly fails?: string
  readonly length?: number
  readonly messagesPerEntry?: { readonly min: number; readonly max: number | null } | null
  readonly maxOvertaking?: number | null
  /** For runs of any length, if fences were followed only up to so many requests of each node. */
  readonly fencesUpTo?: number
  /** All states with so many messages in each channel were visited, and some runs end there. */
  readonly within?: number
  readonly messagesPerElection?: { readonly min: number; readonly max: number | null } | null
}

export interface ModelFile {
  readonly algorithm: string
  readonly models: readonly Model[]
}

const folder = new URL('../packages/algorithms/models/', import.meta.url)
const MOST_STATES = 20_000_000

export function modelFiles(): ModelFile[] {
  return readdirSync(folder)
    .toSorted()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as ModelFile)
}

export function writeModelFile(file: ModelFile): void {
  writeFileSync(new URL(`${file.algorithm}.json`, folder), `${JSON.stringify(file, null, 2)}\n`)
}

export function algorithmOf({ algorithm }: ModelFile): AnyProtocol {
  const isMeant = ({ facts }: AnyProtocol) => facts.name === algorithm
  const variants = [...gallery, ...brokenElections, ...innocents]
  const variant = variants.find((each) => isMeant(each.algorithm))
  if (variant !== undefined) return variant.algorithm
  return elections.some(isMeant) ? electionNamed(algorithm) : algorithmNamed(algorithm)
}

export { instanceIn as instanceOf } from '@turnwise/workshop/world'
export { commandFor } from '@turnwise/workshop/world-command'

/** Checks an instance to its end; one that cannot be finished is an error, not a result. */
export function checkModel(
  instance: Instance,
  mostStates = MOST_STATES,
): { expected: Expected; failure: PropertyResult | null } {
  const result = checkInstance(instance, mostStates)
  const { properties, failure } = result
  const open = properties.find(({ holds }) => holds === null)
  const { name } = instance.algorithm.facts
  const fencesUpTo = open === undefined ? null : fencesFollowed(instance, open)
  const within = open === undefined ? null : roomIn(instance, properties)
  if (failure === null && open !== undefined && fencesUpTo === null && within === null)
    throw new Error(`${name}: ${open.name} could not be decided`)
  const { states, transitions, depth, extremes, messagesPerElection } = result
  const cost = result.complete && isElection(instance.algorithm) ? { messagesPerElection } : (extremes ?? {})
  const found = failure === null ? {} : { fails: failure.name, length: lengthOf(failure) }
  return {
    failure,
    expected: {
      states,
      transitions,
      depth,
      ...found,
      ...cost,
      ...(failure === null && fencesUpTo !== null ? { fencesUpTo } : {}),
      ...(failure === null && within !== null ? { within } : {}),
    },
  }
}

/** With several resources the numbers of runs without end drift apart: fences are followed for some requests only. */
function fencesFollowed(
  { setup, algorithm, gaps }: Instance,
  { name, reason }: PropertyResult,
): number | null {
  const [, requests] = /^holds for (\d+) requests? of each node/.exec(reason ?? '') ?? []
  const hasNoEnd = gaps !== undefined || setup.resources > 1 || algorithm.facts.zones === true
  return name === 'fences-rise' && hasNoEnd && requests !== undefined ? Number(requests) : null
}

/** The room of channels, if that is all that leaves properties open. */
function roomIn({ room }: Instance, properties: readonly PropertyResult[]): number | null {
  const open = properties.filter(({ holds }) => holds === null)
  const ends = /^(holds while|some runs end where) (a|no) channel/
  return room !== undefined && open.every(({ reason }) => ends.test(reason ?? '')) ? room : null
}

/** The number of steps in a counterexample: each is at a time of its own. */
export function lengthOf({ trace }: PropertyResult): number {
  return new Set(trace?.map(({ at }) => at)).size
}

/** The worlds that both checkers search: one with the handlers of the catalogue, the other with a TLA+ module written from the paper. */
import { readFileSync } from 'node:fs'
import { checkInstance } from '@turnwise/checker'
import type { PropertyName } from '@turnwise/checker/property'
import type { World } from '@turnwise/workshop/world'
import { algorithmOf, commandFor, instanceOf, lengthOf } from '../models.ts'
import type { Tool } from './tool.ts'

/** One world, as both know it. */
export interface Run extends Pick<World, 'nodes' | 'channels' | 'topology' | 'quorum' | 'clock'> {
  /** The name of the algorithm or variant. */
  readonly algorithm: string
  /** The file without `.tla`, in `packages/algorithms/tla`. */
  readonly module: string
  readonly requests: number
  /** The rule that the module leaves out to be this variant. */
  readonly without?: string
  /** Short enough for every run of the tests and of continuous integration. */
  readonly quick?: true
}

/** What one checker found. */
export interface Found {
  readonly states: number
  /** What fails, with the length of a shortest run against it; null if all holds. */
  readonly fails: { readonly property: string; readonly length: number } | null
}

/** Never reached: with a bound our clocks are not shifted, as those of TLA+ are not. */
const UNREACHED = 99

const run = (
  algorithm: string,
  module: string,
  nodes: number,
  requests: number,
  rest: Partial<Run> = {},
): Run => ({ algorithm, module, nodes, requests, ...rest })

export const RUNS: readonly Run[] = [
  run('ricart-agrawala', 'RicartAgrawala', 2, 2, { clock: UNREACHED, quick: true }),
  run('ricart-agrawala', 'RicartAgrawala', 3, 1, { clock: UNREACHED }),
  run('ricart-agrawala', 'RicartAgrawala', 3, 2, { clock: UNREACHED }),
  run('ricart-agrawala', 'RicartAgrawala', 3, 3, { clock: 4 }),
  run('ricart-agrawala-without-tie-break', 'RicartAgrawala', 2, 1, {
    clock: UNREACHED,
    without: 'tie break',
    quick: true,
  }),
  run('lamport', 'Lamport', 2, 1, { clock: UNREACHED, quick: true }),
  run('lamport', 'Lamport', 2, 2, { clock: UNREACHED }),
  run('lamport', 'Lamport', 2, 3, { clock: 12 }),
  run('lamport', 'Lamport', 3, 1, { clock: 5 }),
  run('lamport-without-hearing-all', 'Lamport', 2, 1, { clock: UNREACHED, without: 'hearing all' }),
  run('carvalho-roucairol', 'CarvalhoRoucairol', 2, 3, { clock: UNREACHED }),
  run('carvalho-roucairol', 'CarvalhoRoucairol', 3, 1, { clock: UNREACHED }),
  run('carvalho-roucairol', 'CarvalhoRoucairol', 3, 2, { clock: UNREACHED }),
  run('suzuki-kasami', 'SuzukiKasami', 2, 2, { clock: UNREACHED, quick: true }),
  run('suzuki-kasami', 'SuzukiKasami', 3, 1, { clock: UNREACHED }),
  run('suzuki-kasami', 'SuzukiKasami', 3, 2, { clock: UNREACHED }),
  run('ricart-agrawala-token', 'RicartAgrawalaToken', 2, 3, { clock: UNREACHED }),
  run('ricart-agrawala-token', 'RicartAgrawalaToken', 3, 1, { clock: UNREACHED }),
  run('ricart-agrawala-token', 'RicartAgrawalaToken', 3, 2, { clock: 1 }),
  run('ricart-agrawala-token-untested', 'RicartAgrawalaToken', 3, 1, {
    clock: UNREACHED,
    without: 'a look at the token',
  }),
  run('raymond', 'Raymond', 3, 1),
  run('raymond', 'Raymond', 3, 2),
  run('raymond', 'Raymond', 4, 2),
  run('raymond-forgets-to-ask', 'Raymond', 3, 1, { without: 'asking again' }),
  run('naimi-trehel', 'NaimiTrehel', 3, 1, { quick: true }),
  run('naimi-trehel', 'NaimiTrehel', 3, 2),
  run('naimi-trehel', 'NaimiTrehel', 4, 1),
  run('naimi-trehel-root-as-holder', 'NaimiTrehel', 2, 1, { without: 'waiting roots' }),
  run('naimi-trehel-root-as-holder', 'NaimiTrehel', 3, 1, { without: 'waiting roots' }),
  run('token-queue', 'TokenQueue', 3, 1, { quick: true }),
  run('token-queue', 'TokenQueue', 3, 2),
  run('token-queue', 'TokenQueue', 4, 1),
  run('neilsen-mizuno', 'NeilsenMizuno', 3, 2),
  run('neilsen-mizuno', 'NeilsenMizuno', 4, 2),
  run('neilsen-mizuno-idle-sink', 'NeilsenMizuno', 2, 1, { without: 'idle tokens' }),
  run('maekawa', 'Maekawa', 2, 1, { clock: UNREACHED }),
  run('maekawa', 'Maekawa', 2, 2, { clock: UNREACHED }),
  run('maekawa', 'Maekawa', 3, 1, { clock: UNREACHED }),
  run('maekawa-fails-by-queue', 'Maekawa', 3, 1, { clock: UNREACHED, without: 'a look at the grant' }),
  run('central-coordinator', 'CentralCoordinator', 3, 2),
  run('central-coordinator', 'CentralCoordinator', 4, 2),
  run('central-coordinator-ignores-holder', 'CentralCoordinator', 2, 2, {
    without: 'requests of the holder',
    quick: true,
  }),
  run('token-ring', 'TokenRing', 3, 2),
  run('token-ring', 'TokenRing', 4, 2),
  run('token-ring-keeps-the-timer', 'TokenRing', 2, 1, { without: 'ending the pause', quick: true }),
  run('ring-election', 'ChangRoberts', 3, 1, { quick: true }),
  run('ring-election', 'ChangRoberts', 3, 2),
  run('ring-election-without-flag', 'ChangRoberts', 3, 1, { without: 'the flag' }),
]

/** Definitions that must always hold, each with the name of our property that says the same. */
const INVARIANTS: Readonly<Record<string, PropertyName>> = {
  Exclusion: 'exclusion',
  OneToken: 'one-token',
  OneCoordinator: 'one-coordinator',
  Highest: 'highest',
  NoDeadlock: 'no-deadlock',
}

export function textOf(module: string): string {
  return readFileSync(new URL(`../../packages/algorithms/tla/${module}.tla`, import.meta.url), 'utf8')
}

export function commandOf({ algorithm, ...world }: Run): string {
  return commandFor(algorithm, world)
}

/** What our checker finds: the first property that fails among those that the module has too. */
export function ours({ algorithm, module, ...world }: Run): Found {
  const asked = invariantsOf(textOf(module)).map((name) => INVARIANTS[name])
  const instance = instanceOf(algorithmOf({ algorithm, models: [] }), world)
  const { states, properties, complete } = checkInstance(instance, MOST_STATES)
  const failure = properties.find(({ holds }) => holds === false)
  if (failure === undefined && !complete) throw new Error(`${algorithm}: not all states were visited`)
  if (failure === undefined) return { states, fails: null }
  if (!asked.includes(failure.name))
    throw new Error(`${algorithm}: ${failure.name} fails, which ${module} does not ask`)
  return { states, fails: { property: failure.name, length: lengthOf(failure) } }
}

const MOST_STATES = 10_000_000

export function theirs(run: Run, tool: Tool): Found {
  const text = textOf(run.module)
  const { states, fails } = tool({
    text,
    constants: constantsOf(run, text),
    invariants: invariantsOf(text),
    constraint: /^Bounded ==/m.test(text) ? 'Bounded' : null,
  })
  if (fails === null) return { states, fails }
  return { states, fails: { property: INVARIANTS[fails.invariant] ?? fails.invariant, length: fails.length } }
}

function invariantsOf(text: string): string[] {
  return Object.keys(INVARIANTS).filter((name) => new RegExp(`^${name} ==`, 'm').test(text))
}

/** Only those that the module declares: an unknown constant is an error. */
function constantsOf(
  { nodes, requests, clock, without }: Run,
  text: string,
): Record<string, number | string> {
  const all = { N: nodes, Requests: requests, Most: clock ?? UNREACHED, Without: without ?? 'nothing' }
  const declared = Object.entries(all).filter(([name]) => new RegExp(`^  ${name},? +\\\\\\*`, 'm').test(text))
  return Object.fromEntries(declared)
}

/** What differs, in one line; null if nothing does. After a violation the searches have come differently far. */
export function difference(mine: Found, other: Found): string | null {
  const verdicts = [mine, other].map(verdictOf)
  if (verdicts[0] !== verdicts[1]) return `ours says "${verdicts[0]}", theirs "${verdicts[1]}"`
  if (mine.fails === null && mine.states !== other.states)
    return `ours has ${mine.states} states, theirs ${other.states}`
  return null
}

export function verdictOf({ fails }: Found): string {
  return fails === null ? 'holds' : `${fails.property} fails after ${fails.length} steps`
}

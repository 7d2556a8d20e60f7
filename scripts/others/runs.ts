/** The worlds that our checker searches with the handlers of the catalogue, and another with a model that was written from the paper. */
import { readFileSync } from 'node:fs'
import { checkInstance } from '@turnwise/checker'
import { algorithmOf, commandFor, instanceOf, lengthOf } from '../models.ts'
import type { Checker, Found, Run } from './checker.ts'
import { findSpin, propertiesInSpin } from './spin.ts'
import { findTla, propertiesInTla } from './tla.ts'

/** Never reached: with a bound our clocks are not shifted, as those of others are not. */
const UNREACHED = 99

const run = (
  algorithm: string,
  model: string,
  nodes: number,
  requests: number,
  rest: Partial<Run> = {},
): Run => ({ algorithm, model, nodes, requests, ...rest })

export const RUNS: readonly Run[] = [
  run('ricart-agrawala', 'RicartAgrawala.tla', 2, 2, { clock: UNREACHED, quick: true }),
  run('ricart-agrawala', 'RicartAgrawala.tla', 3, 1, { clock: UNREACHED }),
  run('ricart-agrawala', 'RicartAgrawala.tla', 3, 2, { clock: UNREACHED }),
  run('ricart-agrawala', 'RicartAgrawala.tla', 3, 3, { clock: 4 }),
  run('ricart-agrawala-without-tie-break', 'RicartAgrawala.tla', 2, 1, {
    clock: UNREACHED,
    without: 'tie break',
    quick: true,
  }),
  run('lamport', 'Lamport.tla', 2, 1, { clock: UNREACHED, quick: true }),
  run('lamport', 'Lamport.tla', 2, 2, { clock: UNREACHED }),
  run('lamport', 'Lamport.tla', 2, 3, { clock: 12 }),
  run('lamport', 'Lamport.tla', 3, 1, { clock: 5 }),
  run('lamport-without-hearing-all', 'Lamport.tla', 2, 1, { clock: UNREACHED, without: 'hearing all' }),
  run('carvalho-roucairol', 'CarvalhoRoucairol.tla', 2, 3, { clock: UNREACHED }),
  run('carvalho-roucairol', 'CarvalhoRoucairol.tla', 3, 1, { clock: UNREACHED }),
  run('carvalho-roucairol', 'CarvalhoRoucairol.tla', 3, 2, { clock: UNREACHED }),
  run('suzuki-kasami', 'SuzukiKasami.tla', 2, 2, { clock: UNREACHED, quick: true }),
  run('suzuki-kasami', 'SuzukiKasami.tla', 3, 1, { clock: UNREACHED }),
  run('suzuki-kasami', 'SuzukiKasami.tla', 3, 2, { clock: UNREACHED }),
  run('ricart-agrawala-token', 'RicartAgrawalaToken.tla', 2, 3, { clock: UNREACHED }),
  run('ricart-agrawala-token', 'RicartAgrawalaToken.tla', 3, 1, { clock: UNREACHED }),
  run('ricart-agrawala-token', 'RicartAgrawalaToken.tla', 3, 2, { clock: 1 }),
  run('ricart-agrawala-token-untested', 'RicartAgrawalaToken.tla', 3, 1, {
    clock: UNREACHED,
    without: 'a look at the token',
  }),
  run('raymond', 'Raymond.tla', 3, 1),
  run('raymond', 'Raymond.tla', 3, 2),
  run('raymond', 'Raymond.tla', 4, 2),
  run('raymond-forgets-to-ask', 'Raymond.tla', 3, 1, { without: 'asking again' }),
  run('naimi-trehel', 'NaimiTrehel.tla', 3, 1, { quick: true }),
  run('naimi-trehel', 'NaimiTrehel.tla', 3, 2),
  run('naimi-trehel', 'NaimiTrehel.tla', 4, 1),
  run('naimi-trehel-root-as-holder', 'NaimiTrehel.tla', 2, 1, { without: 'waiting roots' }),
  run('naimi-trehel-root-as-holder', 'NaimiTrehel.tla', 3, 1, { without: 'waiting roots' }),
  run('token-queue', 'TokenQueue.tla', 3, 1, { quick: true }),
  run('token-queue', 'TokenQueue.tla', 3, 2),
  run('token-queue', 'TokenQueue.tla', 4, 1),
  run('neilsen-mizuno', 'NeilsenMizuno.tla', 3, 2),
  run('neilsen-mizuno', 'NeilsenMizuno.tla', 4, 2),
  run('neilsen-mizuno-idle-sink', 'NeilsenMizuno.tla', 2, 1, { without: 'idle tokens' }),
  run('maekawa', 'Maekawa.tla', 2, 1, { clock: UNREACHED }),
  run('maekawa', 'Maekawa.tla', 2, 2, { clock: UNREACHED }),
  run('maekawa', 'Maekawa.tla', 3, 1, { clock: UNREACHED }),
  run('maekawa-fails-by-queue', 'Maekawa.tla', 3, 1, { clock: UNREACHED, without: 'a look at the grant' }),
  run('central-coordinator', 'CentralCoordinator.tla', 3, 2),
  run('central-coordinator', 'CentralCoordinator.tla', 4, 2),
  run('central-coordinator-ignores-holder', 'CentralCoordinator.tla', 2, 2, {
    without: 'requests of the holder',
    quick: true,
  }),
  run('token-ring', 'TokenRing.tla', 3, 2),
  run('token-ring', 'TokenRing.tla', 4, 2),
  run('token-ring-keeps-the-timer', 'TokenRing.tla', 2, 1, { without: 'ending the pause', quick: true }),
  run('ring-election', 'ChangRoberts.tla', 3, 1, { quick: true }),
  run('ring-election', 'ChangRoberts.tla', 3, 2),
  run('ring-election-without-flag', 'ChangRoberts.tla', 3, 1, { without: 'the flag' }),
  run('ricart-agrawala', 'ricart-agrawala.pml', 3, 1, { clock: UNREACHED, quick: true }),
  run('ricart-agrawala', 'ricart-agrawala.pml', 3, 3, { clock: UNREACHED }),
  run('ricart-agrawala', 'ricart-agrawala.pml', 4, 1, { clock: UNREACHED }),
  run('ricart-agrawala-without-tie-break', 'ricart-agrawala.pml', 3, 1, {
    clock: UNREACHED,
    without: 'tie break',
  }),
  run('lamport', 'lamport.pml', 2, 3, { clock: UNREACHED }),
  run('lamport', 'lamport.pml', 3, 1, { clock: UNREACHED }),
  run('lamport-without-hearing-all', 'lamport.pml', 3, 1, {
    clock: UNREACHED,
    without: 'hearing all',
    quick: true,
  }),
]

export const isPromela = (model: string): boolean => model.endsWith('.pml')

export function textOf(model: string): string {
  const folder = isPromela(model) ? 'spin' : 'tla'
  return readFileSync(new URL(`../../packages/algorithms/${folder}/${model}`, import.meta.url), 'utf8')
}

export function commandOf({ algorithm, ...world }: Run): string {
  return commandFor(algorithm, world)
}

/** What our checker finds. What fails must be among what the model asks too. */
export function ours({ algorithm, model, ...world }: Run): Found {
  const text = textOf(model)
  const asked = isPromela(model) ? propertiesInSpin(text) : propertiesInTla(text)
  const instance = instanceOf(algorithmOf({ algorithm, models: [] }), world)
  const { states, properties, complete } = checkInstance(instance, MOST_STATES)
  const failure = properties.find(({ holds }) => holds === false)
  if (failure === undefined && !complete) throw new Error(`${algorithm}: not all states were visited`)
  if (failure === undefined) return { states, fails: null }
  if (!asked.includes(failure.name))
    throw new Error(`${algorithm}: ${failure.name} fails, which ${model} does not ask`)
  return { states, fails: { property: failure.name, length: lengthOf(failure) } }
}

const MOST_STATES = 10_000_000

/** The checkers of others, each by what its models are written in; or why one cannot be used. */
export interface Others {
  readonly tla: Checker | string
  readonly promela: Checker | string
}

export async function findOthers(): Promise<Others> {
  return { tla: await findTla(), promela: findSpin() }
}

/** What the other checker finds, or why it cannot be used. */
export function theirs(run: Run, others: Others): Found | string {
  const checker = isPromela(run.model) ? others.promela : others.tla
  return typeof checker === 'string' ? checker : checker(run, textOf(run.model))
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

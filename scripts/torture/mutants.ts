/**
 * `npm run torture -- --mutants`: which of the broken rules real processes show, after how many rounds, and to which judge.
 * Not part of the command line: broken rules are no part of any package.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { brokenRules } from '../../packages/mesh/broken/rules.ts'
import { type Aim, IGNORES_LOSS, type Trial, tortureRule } from './trial.ts'

const HELP = `npm run torture -- --mutants [options]
  --rules LIST     of the broken rules, and ${IGNORES_LOSS}; default all rules
  --rounds NUMBER  for how many rounds each at most; default 6
  --seed NUMBER    draws the schedules; default 1
Exit code: 0, 1 if a rule that must be caught was not, 2 bad input.
`

/** Chance finds these too seldom: their rounds begin with what shows them. Leases are long enough for a busy machine. */
const AIMED: Readonly<Record<string, Aim>> = {
  'accept-at-once': { nodes: 3, lease: 2000, beginWith: 'forgetful' },
  'restart-owes-nothing': { nodes: 3, lease: 2000, beginWith: 'forgetful' },
  'one-accept': { nodes: 5, lease: 2000, beginWith: 'blank-proposer' },
}
const ANY: Aim = { nodes: 3, lease: 1000, beginWith: null }

/** They let two in where voters do what they do most: wait, and come back. */
export const MUST: readonly string[] = ['accept-at-once', 'restart-owes-nothing']

export interface MutantOptions {
  readonly rules: readonly string[]
  readonly rounds: number
  readonly seed: number
  /** See `turnwise torture --help`. */
  readonly ownNamespace: boolean
}

export function readOptions(args: readonly string[]): MutantOptions | 'help' {
  const values = parsed(args)
  if (values.help === true) return 'help'
  const all = brokenRules.map(({ name }) => name)
  const known = [...all, IGNORES_LOSS]
  const rules = values.rules?.split(',') ?? all
  const stray = rules.find((rule) => !known.includes(rule))
  if (stray !== undefined)
    throw new InvalidInput(`--rules: ${invalid(stray, `one of ${known.join(', ')}`).message}`)
  return {
    rules,
    rounds: read('rounds', () => wholeNumber(values.rounds ?? '6', 'a number of rounds', 1, 1000)),
    seed: read('seed', () => wholeNumber(values.seed ?? '1', 'a seed', 0)),
    ownNamespace: values['own-namespace'] === true,
  }
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { rules: text, rounds: text, seed: text, help: flag, 'own-namespace': flag } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new InvalidInput(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function read(option: string, value: () => number): number {
  try {
    return value()
  } catch (error) {
    throw new InvalidInput(`--${option}: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}

export function rowOf({ rule, aim, rounds, judges, seconds }: Trial): string {
  const with_ = `${aim.nodes} nodes, ${aim.lease / 1000} s${aim.beginWith === null ? '' : `, ${aim.beginWith}`}`
  const found = judges.length > 0 ? `round ${rounds}` : `not in ${rounds}`
  return `| \`${rule}\` | ${with_} | ${found} | ${judges.join(', ') || '–'} | ${Math.round(seconds)} s |`
}

/** Those that must be caught, were tried, and were not. */
export function missing(trials: readonly Trial[]): string[] {
  return trials
    .filter(({ rule, judges }) => MUST.includes(rule) && judges.length === 0)
    .map(({ rule }) => rule)
}

async function tried(rule: string, limits: MutantOptions, stop: AbortSignal): Promise<Trial> {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-mutant-'))
  try {
    return await tortureRule(rule, AIMED[rule] ?? ANY, limits, stop, directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export async function tortureMutants(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === 'help') {
    process.stdout.write(HELP)
    return 0
  }
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
  const trials: Trial[] = []
  process.stdout.write('| rule | with | found | by | after |\n|---|---|---|---|---|\n')
  for (const rule of options.rules) {
    const trial = await tried(rule, options, stop.signal)
    if (stop.signal.aborted) break
    trials.push(trial)
    process.stdout.write(`${rowOf(trial)}\n`)
  }
  const caught = trials.filter(({ judges }) => judges.length > 0).length
  process.stdout.write(`\n${caught} of ${trials.length} caught\n`)
  const missed = missing(trials)
  if (missed.length === 0) return stop.signal.aborted ? 130 : 0
  process.stdout.write(`must be caught, and was not: ${missed.join(', ')}\n`)
  return 1
}

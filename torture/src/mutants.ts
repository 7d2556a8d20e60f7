/** `npm run torture -- --mutants`: which of the broken rules real processes show, after how many rounds, and to which judge. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { type Add, run } from '../../packages/cli/src/cli/main.ts'
import { given } from '../../packages/cli/src/terminal/input.ts'
import { processTerminal, type Terminal } from '../../packages/cli/src/terminal/terminal.ts'
import { brokenMeetings } from '../../packages/mesh/broken/meeting.ts'
import { brokenRules } from '../../packages/mesh/broken/rules.ts'
import { partsFrom, placeFrom } from './command.ts'
import { PLACES, type PlaceName } from './deeds.ts'
import { type Aim, IGNORES_LOSS, type Limits, type Trial, tortureRule } from './trial.ts'

/** Chance finds these too seldom: their rounds begin with what shows them. Leases are long enough for a busy machine. */
const AIMED: Readonly<Record<string, Aim>> = {
  'accept-at-once': { nodes: 3, leaseMs: 2000, beginWith: 'forgetful' },
  'restart-owes-nothing': { nodes: 3, leaseMs: 4000, beginWith: 'forgetful' },
  'one-accept': { nodes: 5, leaseMs: 2000, beginWith: 'blank-proposer' },
  'no-joint-view': { nodes: 3, leaseMs: 2000, beginWith: 'new-voters' },
  'joint-view-ends-early': { nodes: 5, leaseMs: 2000, beginWith: 'half-begun' },
  'same-session': { nodes: 3, leaseMs: 2000, beginWith: 'back-at-once' },
}
/** At an engine: the others seal a row whose lease runs. */
const AIMED_AT_ENGINES: readonly string[] = ['sealed-is-over']
const ANY: Aim = { nodes: 3, leaseMs: 1000, beginWith: null }

/** They let two in where voters do what they do most: wait, and come back. */
export const MUST: readonly string[] = ['accept-at-once', 'restart-owes-nothing']

export interface MutantOptions extends Limits {
  readonly rules: readonly string[]
  /** Where the nodes meet; absent if they are named. The rules are those of a place then. */
  readonly at?: PlaceName
}

interface Given {
  readonly at?: string
  readonly rules?: string
  readonly rounds: string
  readonly seed: string
  readonly round?: string
  readonly parts?: string
  readonly shrink?: true
  readonly ownNamespace?: true
}

export function readOptions(options: Given): MutantOptions {
  const { at, rules: list, rounds, seed, round, parts, shrink, ownNamespace } = options
  if (parts !== undefined && round === undefined)
    throw new InvalidInput('--parts: they are of one round: say which with --round')
  const all = (at === undefined ? brokenRules : brokenMeetings).map(({ name }) => name)
  return {
    ...(at !== undefined && { at: given('--at', at, () => placeFrom(at)) }),
    rules: list?.split(',').map((rule) => given('--rules', rule, () => ruleFrom(rule, all))) ?? all,
    rounds: given('--rounds', rounds, () => wholeNumber(rounds, 'a number of rounds', 1, 1000)),
    seed: given('--seed', seed, () => wholeNumber(seed, 'a seed', 0)),
    ...(round !== undefined && {
      round: given('--round', round, () => wholeNumber(round, 'a round of the schedule', 1, Number(rounds))),
    }),
    ...(parts !== undefined && { parts: given('--parts', parts, () => partsFrom(parts)) }),
    ...(shrink === true && { shrink }),
    ownNamespace: ownNamespace === true,
  }
}

function ruleFrom(text: string, rules: readonly string[]): string {
  const known = [...rules, IGNORES_LOSS]
  if (known.includes(text)) return text
  throw invalid(text, `one of ${known.join(', ')}`)
}

export function rowOf({ rule, aim, rounds, judges, seconds }: Trial): string {
  const with_ = `${aim.nodes} nodes, ${aim.leaseMs / 1000} s${aim.beginWith === null ? '' : `, ${aim.beginWith}`}`
  const found = judges.length > 0 ? `round ${rounds}` : `not in ${rounds}`
  return `| \`${rule}\` | ${with_} | ${found} | ${judges.join(', ') || '–'} | ${Math.round(seconds)} s |`
}

/** The command for the part of a round that is enough, or why there is none. */
export function smallText({ rule, rounds, small }: Trial, { at, seed, rounds: most }: MutantOptions): string {
  if (small === undefined || typeof small === 'string') return small ?? ''
  const place = at === undefined ? '' : ` --at ${at}`
  return `enough: npm run torture -- --mutants${place} --rules ${rule} --rounds ${most} --seed ${seed} --round ${rounds} --parts ${small.parts.join()}`
}

/** Those that must be caught, were tried, and were not. */
export function missing(trials: readonly Trial[]): string[] {
  return trials
    .filter(({ rule, judges }) => MUST.includes(rule) && judges.length === 0)
    .map(({ rule }) => rule)
}

async function tried(
  rule: string,
  limits: MutantOptions,
  stop: AbortSignal,
  tell: (text: string) => void,
): Promise<Trial> {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-mutant-'))
  try {
    const { at } = limits
    return await tortureRule(
      rule,
      at === undefined ? (AIMED[rule] ?? ANY) : aimAt(at, rule),
      limits,
      stop,
      directory,
      tell,
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function aimAt(at: PlaceName, rule: string): Aim {
  const isAimed = at !== 'directory' && AIMED_AT_ENGINES.includes(rule)
  return { ...ANY, at, beginWith: isAimed ? 'deaf-holder' : null }
}

/** Tries them and returns the exit code. */
export function tortureMutants(args: readonly string[]): Promise<number> {
  return run('torture --mutants', [addMutants], args, processTerminal())
}

const addMutants: Add = (program, terminal, exit) => {
  program
    .description('Which of the broken rules real processes show, after how many rounds, and to which judge.')
    .option('--at <place>', `at a place, with its broken rules: ${PLACES.join(', ')}`)
    .option('--rules <list>', `of the broken rules, and ${IGNORES_LOSS} (default: all rules)`)
    .option('--rounds <count>', 'for how many rounds each at most', '6')
    .option('--seed <number>', 'draws the schedules', '1')
    .option('--round <number>', 'only this round of the schedule')
    .option('--parts <numbers>', 'of --round only these parts, such as 1,4')
    .option('--shrink', 'run the round in which a rule is found again with less and less of its schedule')
    .option('--own-namespace', 'as without --mutants')
    .addHelpText('after', '\nExit code: 0, 1 if a rule that must be caught was not, 2 bad input.')
    .action(async (options: Given) => exit(await tryAll(readOptions(options), terminal)))
}

async function tryAll(options: MutantOptions, terminal: Terminal): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
  const trials: Trial[] = []
  terminal.print('| rule | with | found | by | after |\n|---|---|---|---|---|')
  for (const rule of options.rules) {
    const trial = await tried(rule, options, stop.signal, (text) => terminal.tell(text))
    if (stop.signal.aborted) break
    trials.push(trial)
    terminal.print(rowOf(trial))
    if (trial.small !== undefined) terminal.tell(smallText(trial, options))
  }
  const caught = trials.filter(({ judges }) => judges.length > 0).length
  terminal.print(`\n${caught} of ${trials.length} caught`)
  const missed = missing(trials)
  if (missed.length === 0) return stop.signal.aborted ? 130 : 0
  terminal.print(`must be caught, and was not: ${missed.join(', ')}`)
  return 1
}

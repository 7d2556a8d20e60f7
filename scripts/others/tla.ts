/** tla-checker, which reads TLA+ and knows nothing of turnwise. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Checker, Found, Run } from './checker.ts'

/** Definitions that must always hold, each with the name of our property that says the same. */
const INVARIANTS = {
  Exclusion: 'exclusion',
  OneToken: 'one-token',
  OneCoordinator: 'one-coordinator',
  Highest: 'highest',
  NoDeadlock: 'no-deadlock',
} as const

/** More than any model here has; the tool must be told some. */
const PLENTY = 10_000_000

/** The checker, or why it cannot be used. */
export async function findTla(): Promise<Checker | string> {
  const { check_spec_with_options: check, initSync } = await import('tla-checker').catch(() => NOT_THERE)
  if (check === undefined) return 'tla-checker is not installed; npm install adds it in a clone'
  const binary = createRequire(import.meta.url).resolve('tla-checker/tla_checker_bg.wasm')
  initSync({ module: readFileSync(binary) })
  return (run, text) => foundIn(text, JSON.parse(check(text, JSON.stringify(asked(run, text)))))
}

const NOT_THERE = { check_spec_with_options: undefined, initSync: () => {} }

export function propertiesInTla(text: string): string[] {
  return invariantsOf(text).map((name) => INVARIANTS[name])
}

function invariantsOf(text: string): (keyof typeof INVARIANTS)[] {
  const names = Object.keys(INVARIANTS) as (keyof typeof INVARIANTS)[]
  return names.filter((name) => new RegExp(`^${name} ==`, 'm').test(text))
}

function asked({ nodes, requests, clock, without }: Run, text: string) {
  const lines = ['INIT Init', 'NEXT Next', `INVARIANTS ${invariantsOf(text).join(' ')}`]
  if (/^Bounded ==/m.test(text)) lines.push('CONSTRAINT Bounded')
  const constants = { N: nodes, Requests: requests, Most: clock ?? PLENTY, Without: without ?? 'nothing' }
  // Only those that the module declares: an unknown constant is an error.
  const declared = Object.entries(constants).filter(([name]) =>
    new RegExp(`^  ${name},? +\\\\\\*`, 'm').test(text),
  )
  return {
    constants: Object.fromEntries(declared),
    cfg_source: `${lines.join('\n')}\n`,
    max_states: PLENTY,
    max_depth: PLENTY,
    // That nothing can happen any more is no mistake where all requests were served: `NoDeadlock` says what is.
    allow_deadlock: true,
  }
}

interface Result {
  readonly success: boolean
  readonly error_type: string | null
  readonly error_message: string | null
  readonly states_explored: number
  readonly trace: readonly string[] | null
}

function foundIn(text: string, result: Result): Found {
  const { success, error_message: message, states_explored: states, trace } = result
  if (success) return { states, fails: null }
  const [, place] = /^Invariant (\d+) violated/.exec(message ?? '') ?? []
  const property = propertiesInTla(text)[Number(place)]
  if (result.error_type !== 'InvariantViolation' || property === undefined)
    throw new Error(`tla-checker: ${message ?? 'no reason given'}`)
  const seen = trace?.join('\n').match(/^State \d+/gm) ?? []
  return { states, fails: { property, length: seen.length - 1 } }
}

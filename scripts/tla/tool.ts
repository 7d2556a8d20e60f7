/** The checker of others: tla-checker, which reads TLA+ and knows nothing of turnwise. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** What it is asked: a module, its constants, and which of its definitions must always hold. */
export interface Question {
  /** The text of the module. */
  readonly text: string
  readonly constants: Readonly<Record<string, number | string>>
  readonly invariants: readonly string[]
  /** The definition that says which states are entered; null if all are. */
  readonly constraint: string | null
}

export interface Answer {
  readonly states: number
  /** The first invariant that fails, with the number of steps of the run to it; null if all hold. */
  readonly fails: { readonly invariant: string; readonly length: number } | null
}

export type Tool = (question: Question) => Answer

/** More than any model here has; the tool must be told some. */
const PLENTY = 10_000_000

/** The tool, or why it cannot be used. */
export async function findTool(): Promise<Tool | string> {
  const { check_spec_with_options: check, initSync } = await import('tla-checker').catch(() => NOT_THERE)
  if (check === undefined) return 'tla-checker is not installed; npm install adds it in a clone'
  const binary = createRequire(import.meta.url).resolve('tla-checker/tla_checker_bg.wasm')
  initSync({ module: readFileSync(binary) })
  return (question) => answerOf(question, JSON.parse(check(question.text, JSON.stringify(asked(question)))))
}

const NOT_THERE = { check_spec_with_options: undefined, initSync: () => {} }

function asked({ constants, invariants, constraint }: Question) {
  const lines = ['INIT Init', 'NEXT Next', `INVARIANTS ${invariants.join(' ')}`]
  if (constraint !== null) lines.push(`CONSTRAINT ${constraint}`)
  return {
    constants,
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

function answerOf({ invariants }: Question, result: Result): Answer {
  const { success, error_message: message, states_explored: states, trace } = result
  if (success) return { states, fails: null }
  const [, place] = /^Invariant (\d+) violated/.exec(message ?? '') ?? []
  if (result.error_type !== 'InvariantViolation' || place === undefined)
    throw new Error(`tla-checker: ${message ?? 'no reason given'}`)
  const seen = trace?.join('\n').match(/^State \d+/gm) ?? []
  return { states, fails: { invariant: invariants[Number(place)] ?? place, length: seen.length - 1 } }
}

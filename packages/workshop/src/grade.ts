import { type Checked, checkInstance } from '@turnwise/checker'
import type { Instance } from '@turnwise/checker/instance'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { compile } from './compile.ts'
import { type Exercise, type ReadSource, rightText } from './exercise.ts'
import { FaultyText, placeAt } from './faulty-text.ts'
import { type LoadModule, ownAlgorithm, thrownBy } from './own-algorithm.ts'
import { instanceIn } from './world.ts'

/** A world that was checked. */
export interface Graded {
  readonly instance: Instance
  readonly checked: Checked
}

/** The grade of a text: passed, a world in which a property fails or stays open, or what is wrong with the text. */
export type Grade =
  | { readonly is: 'passed'; readonly worlds: readonly Graded[] }
  | { readonly is: 'failed'; readonly worlds: readonly Graded[]; readonly failed: Graded }
  | { readonly is: 'faulty'; readonly why: FaultyText }

/** Right answers have a tenth of them at most. */
const MOST_STATES = 200_000

/** What a host hands in: it knows where files and modules are. */
export interface Materials {
  readonly read: ReadSource
  readonly load: LoadModule
}

/**
 * Checks a text in the worlds of an exercise, the smallest first, up to the first that fails. The text brings rules, state and shapes; facts and
 * options are those of the exercise, so that nobody passes by claiming less. It may import what the starting text imports, and `@turnwise/core`.
 */
export async function grade(exercise: Exercise, text: string, { read, load }: Materials): Promise<Grade> {
  const right = await rightText(exercise, read)
  const model = (await ownAlgorithm(right, load)).algorithm
  try {
    requireOwnRules(text, right)
    const { algorithm } = await ownAlgorithm(text, load)
    return gradeRules(exercise, withFactsOf(model, algorithm))
  } catch (error) {
    return { is: 'faulty', why: thrownBy(error) }
  }
}

function gradeRules({ worlds }: Exercise, algorithm: AnyProtocol): Grade {
  const done: Graded[] = []
  for (const world of worlds) {
    const instance = instanceIn(algorithm, world)
    requireShapes(instance)
    const graded = { instance, checked: checkInstance(instance, MOST_STATES) }
    done.push(graded)
    if (!graded.checked.holds) return { is: 'failed', worlds: done, failed: graded }
  }
  return { is: 'passed', worlds: done }
}

function requireOwnRules(text: string, right: string): void {
  const allowed = new Set(compile(right).sources.map(({ module }) => module))
  for (const { module, position } of compile(text).imports) {
    if (allowed.has(module) || !module.startsWith('@turnwise/algorithms/')) continue
    throw new FaultyText(
      `"${module}" cannot be imported here: the rules are to be your own`,
      placeAt(text, position),
    )
  }
}

function withFactsOf(model: AnyProtocol, own: AnyProtocol): AnyProtocol {
  if ('elect' in own !== 'elect' in model)
    throw new FaultyText('it exports an election, not an algorithm', null)
  if (model.tokens !== undefined && own.tokens === undefined)
    throw new FaultyText('the algorithm has no tokens', null)
  const facts = { ...model.facts, name: own.facts.name, timers: own.facts.timers }
  return { ...own, facts, options: model.options } as AnyProtocol
}

/** The compiler demands it of a text that is compiled. */
export function requireShapes({ algorithm, setup }: Instance): void {
  const state = algorithm.init(0, setup)
  const missing = Object.keys(state).find((field) => !(field in algorithm.shapes.state))
  if (missing !== undefined)
    throw new FaultyText(`the state has a field ${missing}, and shapes.state does not name it`, null)
}

/** One line for people: the first property that fails, or why nothing is decided. */
export function verdict(grade: Grade): string {
  if (grade.is === 'passed') {
    const { length } = grade.worlds
    return `passed: every property holds in ${length === 1 ? 'the world' : `all ${length} worlds`} of the exercise`
  }
  if (grade.is === 'faulty') return grade.why.message
  const { failure, states } = grade.failed.checked
  if (failure !== null) return `${failure.name} fails: ${failure.reason ?? ''}`
  return `not decided: more than ${states.toLocaleString('en-US')} states; reset variables that have lost their meaning`
}

/** An algorithm from the text of its file, the one place where a text becomes code that runs. */
import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import { template } from '@turnwise/algorithms/template'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { nearestNames } from '@turnwise/core/invalid-input'
import { type Compiled, compile, type Source } from './compile.ts'
import { FaultyText, type Place, placeAt } from './faulty-text.ts'

/** What a text gives. */
export interface OwnAlgorithm {
  readonly algorithm: AnyProtocol
  /** The world that a broken variant names; null for any other text. */
  readonly world: BrokenVariant['instance'] | null
}

/** The exports of a module of `@turnwise/core` or `@turnwise/algorithms`; null if there is no such module. */
export type LoadModule = (module: string) => Promise<Readonly<Record<string, unknown>> | null>

const OFFERED = /^@turnwise\/(?:core|algorithms)\/[a-z0-9-]+(?:\/[a-z0-9-]+)*$/
const ALLOWED = 'an algorithm imports from @turnwise/core/… and @turnwise/algorithms/…'

/** The name under which errors of the text appear in a stack. */
const NAME = 'turnwise-own-algorithm.js'

/** Evaluates a text. Its code runs here: the caller decides where that is safe. */
export async function ownAlgorithm(text: string, load: LoadModule): Promise<OwnAlgorithm> {
  const compiled = compile(text)
  const modules = await importsOf(text, compiled, load)
  return chosen(evaluate(compiled.code, (module) => modules.get(module)))
}

async function importsOf(
  text: string,
  { imports }: Compiled,
  load: LoadModule,
): Promise<Map<string, object>> {
  const modules = new Map<string, Readonly<Record<string, unknown>>>()
  for (const { module, name, position } of imports) {
    const complain = (what: string) => new FaultyText(what, placeAt(text, position))
    if (!OFFERED.test(module)) throw complain(`"${module}" cannot be imported: ${ALLOWED}`)
    const found = modules.get(module) ?? (await load(module))
    if (found === null) throw complain(`there is no module "${module}"`)
    modules.set(module, found)
    if (name === null || name in found) continue
    const [near] = nearestNames(name, Object.keys(found))
    const hint = near === undefined ? 'a type is imported by import type' : `did you mean ${near}?`
    throw complain(`"${module}" has no export ${name}: ${hint}`)
  }
  return modules
}

function evaluate(code: string, require: (module: string) => unknown): object {
  const exports = {}
  try {
    // The whole purpose of this file. Not direct: the code sees none of our variables.
    // oxlint-disable-next-line no-eval
    const run = (0, eval)(`(function (require, exports) { 'use strict'; ${code}\n})\n//# sourceURL=${NAME}`)
    run(require, exports)
  } catch (error) {
    throw thrownBy(error)
  }
  return exports
}

/** An error that the text threw, as one line with the place where it did. */
export function thrownBy(error: unknown): FaultyText {
  if (error instanceof FaultyText) return error
  const what = error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${String(error)}`
  return new FaultyText(what.split('\n')[0] ?? what, placeIn(error), { cause: error })
}

/** Columns of the first line are moved by what is put before it; nobody writes code there. */
function placeIn(error: unknown): Place | null {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const [, line, column] = new RegExp(`${NAME.replaceAll('.', '\\.')}:(\\d+):(\\d+)`).exec(stack) ?? []
  return line === undefined ? null : { line: Number(line), column: Number(column) }
}

const HANDLERS = ['init', 'request', 'release', 'elect'] as const

function chosen(exports: object): OwnAlgorithm {
  const found = new Map<unknown, OwnAlgorithm>()
  for (const value of Object.values(exports)) {
    if (looksLikeProtocol(value)) found.set(value, { algorithm: value, world: null })
    else if (isObject(value) && looksLikeProtocol(value['algorithm']))
      found.set(value, { algorithm: value['algorithm'], world: (value as unknown as BrokenVariant).instance })
  }
  const [own, another] = found.values()
  if (own === undefined)
    throw new FaultyText(
      'it exports no algorithm: export const … : Algorithm<State, Message> = { facts, … }',
      null,
    )
  if (another !== undefined)
    throw new FaultyText(`it exports ${found.size} algorithms: one file is one algorithm`, null)
  requireParts(own.algorithm)
  return own
}

function looksLikeProtocol(value: unknown): value is AnyProtocol {
  return isObject(value) && isObject(value['facts']) && HANDLERS.some((name) => name in value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** What the compiler would say of a text that is not compiled: the first part of the contract that is missing. */
function requireParts(protocol: AnyProtocol): void {
  const isElection = 'elect' in protocol
  const needed = isElection ? ['init', 'elect'] : ['init', 'request', 'release']
  const missing = (what: string) => new FaultyText(`the algorithm has no ${what}`, null)
  for (const name of needed)
    if (typeof (protocol as unknown as Record<string, unknown>)[name] !== 'function') throw missing(name)
  for (const name of ['options', 'shapes', 'receive'] as const)
    if (!isObject(protocol[name])) throw missing(name)
  const ofExclusion = new Set(['entries', 'sharedMode', 'syncDelay', 'fallsSilent'])
  for (const name of Object.keys(template.facts))
    if (!(name in protocol.facts) && !(isElection && ofExclusion.has(name))) throw missing(`facts.${name}`)
  for (const type of Object.keys(protocol.shapes.messages ?? {}))
    if (typeof protocol.receive[type] !== 'function') throw missing(`handler receive.${type}`)
  for (const type of Object.keys(protocol.receive))
    if (!(type in protocol.shapes.messages)) throw missing(`shape of the message ${type}`)
}

/**
 * The same text for any folder: imports of neighbours name their package. `folder` is where the text lies in `@turnwise/algorithms`, such as
 * `src/token` or `broken`.
 */
export function standingAlone(text: string, folder: string): string {
  const { sources } = compile(text)
  let alone = text
  for (const { module, start, end } of sources.toSorted((one, other) => other.start - one.start))
    if (module.startsWith('.'))
      alone = `${alone.slice(0, start)}'${packaged(module, folder)}'${alone.slice(end)}`
  return alone
}

function packaged(module: Source['module'], folder: string): string {
  const path: string[] = folder.split('/')
  for (const part of module.replace(/\.ts$/, '').split('/')) {
    if (part === '..') path.pop()
    else if (part !== '.') path.push(part)
  }
  return `@turnwise/algorithms/${path.join('/').replace(/^src\//, '')}`
}

/**
 * Identifies holders, where several requests belong together. Each holder has a sign. A request names the signs of the holders
 * that cannot go on before it has ended: those of the callbacks around it, and last its own.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { isUnicode } from '../transport/checks.ts'
import { LONGEST_HOLDER, MOST_HOLDERS } from '../transport/standing-check.ts'
import type { Wish } from './options.ts'

/** Connects the requests inside a callback with that callback. */
export interface Nesting {
  /** The signs of the callbacks around this call, the outermost first. */
  readonly around: readonly string[]
  run<Result>(holders: readonly string[], callback: () => Result): Result
}

/** Requests inside the callback belong to these holders. */
export function inside<Result>(
  nesting: Nesting | null,
  holders: readonly string[] | undefined,
  callback: () => Result,
): Result {
  return nesting === null ? callback() : nesting.run(holders ?? [], callback)
}

/** For a daemon: the signs of its client, unchanged. */
export class Holders {
  readonly signs: readonly string[]

  constructor(signs: readonly string[]) {
    this.signs = signs
  }
}

let signs = 0
const signOf = new WeakMap<object, string>()

/** Unique in this process. `#`: one request, `&`: several together, `@`: an object, `=`: a name that the program chose. */
function freshSign(kind: '#' | '&' | '@'): string {
  signs += 1
  return `${kind}${signs}`
}

/** Undefined if the program says nothing, and null for a request without a holder. */
export function readHolder(given: unknown): string | Holders | null | undefined {
  if (given === undefined || given === null || given instanceof Holders) return given
  if (typeof given === 'string' && given.length <= LONGEST_HOLDER && isUnicode(given)) return `=${given}`
  if (typeof given !== 'object' && typeof given !== 'function')
    throw new TypeError(
      `holder is not an object, null, or a Unicode text of at most ${LONGEST_HOLDER} characters`,
    )
  const sign = signOf.get(given) ?? freshSign('@')
  signOf.set(given, sign)
  return sign
}

/** For one lock. Undefined if the request cannot be part of a deadlock. */
export function holdersOf({ holder, steal }: Wish, nesting: Nesting | null): readonly string[] | undefined {
  if (holder instanceof Holders) return holder.signs
  // A thief waits for no holder.
  if (steal || (nesting === null && typeof holder !== 'string')) return undefined
  return withSign(holder, nesting, '#')
}

/** For several locks: a caller that waits for one of them may hold others. */
export function holdersOfAll({ holder }: Pick<Wish, 'holder'>, nesting: Nesting | null): readonly string[] {
  return holder instanceof Holders ? holder.signs : withSign(holder, nesting, '&')
}

/** If there are too many, the innermost count. */
function withSign(
  holder: string | null | undefined,
  nesting: Nesting | null,
  kind: '#' | '&',
): readonly string[] {
  const around = holder === null ? [] : (nesting?.around ?? [])
  return [...around, holder ?? freshSign(kind)].slice(-MOST_HOLDERS)
}

/** Whether they can hold something while the last one waits. A single request inside no other cannot. */
export function mayHold(holders: readonly string[]): boolean {
  return holders.length > 1 || holders[0]?.startsWith('#') === false
}

/** For a daemon: signs are unique per client only. */
export function holdersAt(client: number, holders: readonly string[]): readonly string[] {
  return holders.map((sign) => `${sign}${ofClient(client)}`)
}

export function isOfClient(client: number, sign: string): boolean {
  return sign.endsWith(ofClient(client))
}

function ofClient(client: number): string {
  return ` of ${client}`
}

let followed: Promise<Nesting> | null = null

/** One for the whole process, because calls pass from one mesh to another. Loaded on demand, because some runtimes lack it. */
export function followCalls(): Promise<Nesting> {
  followed ??= load()
  return followed
}

async function load(): Promise<Nesting> {
  const hooks = await import('node:async_hooks').catch((error: unknown) => {
    throw new InvalidInput('nesting: true needs AsyncLocalStorage, which this runtime does not have', {
      cause: error,
    })
  })
  const storage = new hooks.AsyncLocalStorage<readonly string[]>()
  return {
    get around() {
      return storage.getStore() ?? []
    },
    run: (holders, callback) => storage.run(holders, callback),
  }
}

/**
 * Who holds and who waits, where several requests belong together. Each holder has a sign. A request says the signs of those who cannot go on
 * before it has ended: of the callbacks inside which it was made, and last its own.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Wish } from './options.ts'

/** Follows calls from a callback to the requests that are made inside it. */
export interface Nesting {
  /** Of the callbacks around this call, the outermost first. */
  readonly around: readonly string[]
  run<Result>(holders: readonly string[], callback: () => Result): Result
}

/** More are not told: the innermost count. */
export const MOST_HOLDERS = 16
export const LONGEST_HOLDER = 250

/** For a daemon: what a client says, as it is. */
export class Holders {
  readonly signs: readonly string[]

  constructor(signs: readonly string[]) {
    this.signs = signs
  }
}

let signs = 0
const signOf = new WeakMap<object, string>()

/** Of nobody else in this process. `#`: of one request, `&`: of several together, `@`: of an object; `=` is for what a program calls it. */
function freshSign(kind: '#' | '&' | '@'): string {
  signs += 1
  return `${kind}${signs}`
}

/** Undefined if nothing is said, and null for a request that belongs to nobody. */
export function readHolder(given: unknown): string | Holders | null | undefined {
  if (given === undefined || given === null || given instanceof Holders) return given
  if (typeof given === 'string' && given.length <= LONGEST_HOLDER) return `=${given}`
  if (typeof given !== 'object' && typeof given !== 'function')
    throw new TypeError(`holder is not an object, null, or a text of at most ${LONGEST_HOLDER} characters`)
  const sign = signOf.get(given) ?? freshSign('@')
  signOf.set(given, sign)
  return sign
}

/** Of a request for one lock; undefined if nobody could be waiting for it in a circle. */
export function holdersOf({ holder, steal }: Wish, nesting: Nesting | null): readonly string[] | undefined {
  if (holder instanceof Holders) return holder.signs
  // A thief waits for nobody.
  if (steal || (nesting === null && typeof holder !== 'string')) return undefined
  return withSign(holder, nesting, '#')
}

/** Of several locks: who waits for one of them may hold others. */
export function holdersOfAll({ holder }: Pick<Wish, 'holder'>, nesting: Nesting | null): readonly string[] {
  return holder instanceof Holders ? holder.signs : withSign(holder, nesting, '&')
}

function withSign(
  holder: string | null | undefined,
  nesting: Nesting | null,
  kind: '#' | '&',
): readonly string[] {
  const around = holder === null ? [] : (nesting?.around ?? [])
  return [...around, holder ?? freshSign(kind)].slice(-MOST_HOLDERS)
}

/** Whether they can hold something while the last of them waits: one request that is inside no other cannot. */
export function mayHold(holders: readonly string[]): boolean {
  return holders.length > 1 || holders[0]?.startsWith('#') === false
}

/** For a daemon: signs are of one client, and others may use the same. */
export function holdersAt(client: number, holders: readonly string[]): readonly string[] {
  return holders.map((sign) => `${sign} of ${client}`)
}

let followed: Promise<Nesting> | null = null

/** One for the whole process: a call goes from one mesh to another. Not loaded unless asked for, since some runtimes do not have it. */
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

import { groupKey, MOST_IN_GROUP } from '../protocol/names.ts'
import { shown } from '../transport/checks.ts'
import { notSupported } from './errors.ts'
import type { Held } from './held.ts'
import { holdersOf, inside } from './holders.ts'
import { type Backing, obtain } from './obtain.ts'
import { LOCK_OPTIONS, type LockOptions, readWish, requireKnown, type Wish } from './options.ts'
import { whileHeld } from './while-held.ts'

/** The options of a request to a group: it has one mode, and its callers wait. */
export type GroupOptions = Pick<
  LockOptions,
  'signal' | 'timeout' | 'maxHold' | 'waitForQuorum' | 'onWait' | 'info' | 'holder'
>

type Callback<Result> = (held: HeldGroup) => Result | PromiseLike<Result>

/**
 * A few names of which callers take several at once: all of them or none. Callers that want different names are inside together.
 * Another list of names is another group, and its names are separate from those of locks.
 */
export interface Group {
  /** The name that was given. */
  readonly name: string
  /** Its names, sorted. */
  readonly names: readonly string[]
  /** Waits for all of these names, which the caller releases together. */
  acquire(names: readonly string[], options?: GroupOptions): Promise<HeldGroup>
  /** Runs the callback while all of these names are held. Settles with its result after they are released. */
  request<Result>(names: readonly string[], callback: Callback<Result>): Promise<Awaited<Result>>
  request<Result>(
    names: readonly string[],
    options: GroupOptions,
    callback: Callback<Result>,
  ): Promise<Awaited<Result>>
}

/** For a daemon and the command line, which treat all kinds alike. */
export let heldOf: (stay: HeldGroup) => Held

/**
 * Held names of a group. They are held, lost and released together.
 *
 * ```js
 * await using held = await mesh.group('stock', ['east', 'north', 'west']).acquire(['east', 'west'])
 * await move(held.fence, held.signal)
 * ```
 */
export class HeldGroup {
  static {
    heldOf = (stay) => stay.#held
  }

  readonly #held: Held
  /** The names that are held, sorted. */
  readonly names: readonly string[]

  constructor(held: Held, names: readonly string[]) {
    this.#held = held
    this.names = names
  }

  /** The name of the group. */
  get name(): string {
    return this.#held.name
  }

  /** One number for all of them. It rises with every grant of each name, across views and restarts. */
  get fence(): bigint {
    return this.#held.fence
  }

  /** Aborts when they are lost. Reading it checks the clock. */
  get signal(): AbortSignal {
    return this.#held.signal
  }

  /** Whether they are held at this moment. */
  get isHeld(): boolean {
    return this.#held.isHeld
  }

  /** Throws if they are not held at this moment. */
  assertHeld(): void {
    this.#held.assertHeld()
  }

  /** Releases all of them. A second call, or a call after a loss, does nothing. */
  release(): void {
    this.#held.release()
  }

  /** Releases them, for `using`. */
  [Symbol.dispose](): void {
    this.release()
  }

  /** Releases them, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    this.release()
    return Promise.resolve()
  }
}

export function group(backing: Backing, name: string, names: readonly string[]): Group {
  const all = readNames(name, names)
  return {
    name,
    names: all,
    async acquire(wanted, options) {
      const { held, taken } = await obtained(wanted, options)
      return new HeldGroup(held, taken)
    },
    async request(wanted: readonly string[], ...given: unknown[]) {
      const [options, callback] = given.length > 1 ? given : [undefined, given[0]]
      if (typeof callback !== 'function') throw new TypeError('the callback is not a function')
      const { held, taken, holders } = await obtained(wanted, options)
      const run = () => callback(new HeldGroup(held, taken))
      return whileHeld([held], () => inside(backing.nesting, holders, run)) as never
    },
  }

  async function obtained(wanted: unknown, options: unknown) {
    const taken = readWanted(name, all, wanted)
    const resources = taken.map((each) => all.indexOf(each))
    const asked = readOptions(name, options, () => backing.assertOpen())
    const holders = holdersOf(asked, backing.nesting)
    const held = await obtain(backing, groupKey(name, all), { ...asked, resources, holders })
    if (held === null) throw notSupported(`a request to the group "${name}" waits`)
    return { held, taken, holders }
  }
}

const GROUP_OPTIONS: readonly (keyof GroupOptions)[] = [
  'signal',
  'timeout',
  'maxHold',
  'waitForQuorum',
  'onWait',
  'info',
  'holder',
]

function readOptions(name: string, options: unknown, isOpen: () => void): Wish {
  const refused = LOCK_OPTIONS.filter((each) => !GROUP_OPTIONS.some((known) => known === each))
  const given = typeof options === 'object' && options !== null ? Object.keys(options) : []
  const wrong = refused.find((each) => given.includes(each))
  if (wrong !== undefined)
    throw notSupported(`a group takes no ${wrong}: its options are ${GROUP_OPTIONS.join(', ')}`)
  requireKnown(options, GROUP_OPTIONS, 'a group')
  return readWish(name, options, isOpen)
}

/** In characters, for the name of a group together with its names. */
const LONGEST_KEY = 1024

export function readNames(name: string, names: readonly string[]): readonly string[] {
  const all = readList(names).toSorted()
  if (all.length < 2 || all.length > MOST_IN_GROUP)
    throw new RangeError(`a group has 2 to ${MOST_IN_GROUP} names, not ${all.length}`)
  const twice = all.find((each, i) => each === all[i - 1])
  if (twice !== undefined) throw new TypeError(`"${twice}" is twice among the names of the group "${name}"`)
  const { length } = groupKey(name, all)
  if (length > LONGEST_KEY)
    throw new RangeError(`a group and its names have at most ${LONGEST_KEY} characters in all, not ${length}`)
  return all
}

/** Sorted, each once. */
export function readWanted(name: string, all: readonly string[], wanted: unknown): readonly string[] {
  const some = new Set(readList(wanted))
  if (some.size === 0) throw new TypeError('expected at least one name, got an empty list')
  const stranger = [...some].find((each) => !all.includes(each))
  if (stranger !== undefined)
    throw new TypeError(`"${stranger}" is not a name of the group "${name}": its names are ${all.join(', ')}`)
  return all.filter((each) => some.has(each))
}

function readList(names: unknown): readonly string[] {
  if (!Array.isArray(names)) throw new TypeError(`expected a list of names, got ${shown(names)}`)
  // A list may have holes, and a name may be undefined. Neither may pass for a shorter list.
  for (const each of names as readonly unknown[]) {
    if (typeof each !== 'string') throw new TypeError(`a name of a group is a text, not ${shown(each)}`)
  }
  return names
}

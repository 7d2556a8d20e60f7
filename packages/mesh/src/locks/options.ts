/** The options of `request` and `acquire`, read in the order of the Web Locks API. */
import { Buffer } from 'node:buffer'
import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import { unknownOption } from '../transport/checks.ts'
import { LONGEST_INFO } from '../transport/standing-check.ts'
import { notSupported } from './errors.ts'
import { type Holders, readHolder } from './holders.ts'
import type { OnWait } from './on-wait.ts'

/** The options of a request for a lock. */
export interface LockOptions {
  /**
   * Default `exclusive`. Shared holders are inside together. `update`: beside shared holders, and can become exclusive by
   * `upgrade`.
   */
  readonly mode?: Mode
  /** Do not wait: the callback gets null if the lock is held or waited for. */
  readonly ifAvailable?: boolean
  /** Take the lock from its holder. */
  readonly steal?: boolean
  /** Ends the wait; ignored once the lock is held. */
  readonly signal?: AbortSignal
  /**
   * Milliseconds to wait before the request fails with LockTimeoutError. With `ifAvailable`: how long to wait for the answers
   * of the others. Default: no limit.
   */
  readonly timeout?: number
  /**
   * Milliseconds for which the lock may be held. Then it is released, its signal aborts, and `request` rejects. Default: no
   * limit.
   */
  readonly maxHold?: number
  /**
   * Higher numbers go first, whichever node asks, if the algorithm has priorities, as the default has; else among the callers of this
   * node. A request that was passed often enough is passed no more (`passes` of `token-queue`: 64). Default 0.
   */
  readonly priority?: number
  /** Keep waiting while too few voters can be reached, instead of failing with NoQuorumError. */
  readonly waitForQuorum?: boolean
  /** Tells a caller that waits long who is inside, since when, and how many wait: `{ after: 5000, tell: (wait) => … }`. */
  readonly onWait?: OnWait
  /**
   * Shown with this lock by `query()`, `turnwise locks` and the page, for people: `{ job: 4711 }`. Any JSON value of at most
   * 1024 bytes. Readers must not trust it.
   */
  readonly info?: unknown
  /**
   * The holder that asks: a text or an object of your own. Requests of the same holder belong together, so that deadlocks are
   * found. Null: this request has no holder, even inside a callback. Default: with `nesting` the callback around it, otherwise
   * none.
   */
  readonly holder?: string | object | null
}

/** The options of semaphores and elections: they have no mode and no `steal`. */
export type WaitOptions = Pick<
  LockOptions,
  'ifAvailable' | 'signal' | 'timeout' | 'maxHold' | 'waitForQuorum' | 'onWait' | 'info'
>

/** Options without `ifAvailable`: the caller waits. */
export type WaitingOptions = WaitOptions & { readonly ifAvailable?: false }

/** As read: nothing is missing. */
export interface Wish {
  readonly name: string
  readonly mode: Mode
  readonly ifAvailable: boolean
  readonly steal: boolean
  readonly signal: AbortSignal | undefined
  readonly timeout: number | undefined
  readonly maxHold: number | undefined
  readonly priority: number
  readonly waitForQuorum: boolean
  readonly onWait: Required<OnWait> | undefined
  /** As JSON. */
  readonly info: string | undefined
  readonly holder: string | Holders | null | undefined
  /** The holders that cannot go on before this request has ended, as the lock manager finds them. */
  readonly holders: readonly string[] | undefined
  /** Of a group: the numbers of the names that it wants. */
  readonly resources: readonly ResourceId[] | undefined
}

function plain(name: string): Wish {
  return {
    name,
    mode: 'exclusive',
    ifAvailable: false,
    steal: false,
    signal: undefined,
    timeout: undefined,
    maxHold: undefined,
    priority: 0,
    waitForQuorum: false,
    onWait: undefined,
    info: undefined,
    holder: undefined,
    holders: undefined,
    resources: undefined,
  }
}

const LONGEST_NAME = 250

/**
 * Checks types first, as a Web IDL binding would, then the name, then combinations of options. `isOpen` checks in between that
 * the node has not left. The caller checks last whether the signal is already aborted.
 */
export function readWish(name: unknown, options: unknown, isOpen: () => void): Wish {
  const text = toText(name, 'a lock name')
  const wish = options === undefined || options === null ? plain(text) : read(text, options)
  isOpen()
  if (text.startsWith('-')) throw notSupported(`the name "${text}" begins with "-": such names are reserved`)
  if (text.length > LONGEST_NAME)
    throw notSupported(`a name has at most ${LONGEST_NAME} characters, not ${text.length}`)
  if (wish.steal && wish.ifAvailable) {
    throw notSupported('steal and ifAvailable cannot be used together')
  }
  if (wish.steal && wish.mode !== 'exclusive')
    throw notSupported(`steal needs mode "exclusive", got "${wish.mode}"`)
  if (wish.signal !== undefined && (wish.steal || wish.ifAvailable)) {
    throw notSupported(`signal cannot be used with ${wish.steal ? 'steal' : 'ifAvailable'}`)
  }
  return wish
}

/** Reads the options of semaphores and elections. */
export function readWait(name: string, options: unknown, isOpen: () => void, whose = 'a semaphore'): Wish {
  requireKnown(options, WAIT_OPTIONS, whose)
  const wish = readWish(name, options, isOpen)
  const { ifAvailable, signal, timeout, maxHold, waitForQuorum, onWait, info } = wish
  return { ...plain(name), ifAvailable, signal, timeout, maxHold, waitForQuorum, onWait, info }
}

/** As Web Locks do, `request` ignores unknown options. Our own functions refuse them. */
export function requireKnown(options: unknown, known: readonly string[], whose: string): void {
  if (typeof options !== 'object' || options === null) return
  const stranger = Object.keys(options).find((name) => !known.includes(name))
  if (stranger !== undefined) throw new TypeError(unknownOption(stranger, whose, known))
}

const WAIT_OPTIONS: readonly (keyof WaitOptions)[] = [
  'ifAvailable',
  'signal',
  'timeout',
  'maxHold',
  'waitForQuorum',
  'onWait',
  'info',
]
export const LOCK_OPTIONS: readonly (keyof LockOptions)[] = [
  ...WAIT_OPTIONS,
  'mode',
  'steal',
  'priority',
  'holder',
]

function toText(value: unknown, what: string): string {
  if (typeof value === 'symbol') throw new TypeError(`a symbol is not ${what}`)
  return String(value)
}

function read(name: string, options: unknown): Wish {
  if (typeof options !== 'object' && typeof options !== 'function') {
    throw new TypeError(`expected an object of options, got a ${typeof options}`)
  }
  const given = options as { readonly [key in keyof Wish]?: unknown }
  return {
    name,
    ifAvailable: Boolean(given.ifAvailable),
    mode: readMode(given.mode),
    signal: readSignal(given.signal),
    steal: Boolean(given.steal),
    timeout: readTime('timeout', given.timeout),
    maxHold: readTime('maxHold', given.maxHold),
    priority: readPriority(given.priority),
    waitForQuorum: Boolean(given.waitForQuorum),
    onWait: readOnWait(given.onWait),
    info: readInfo(given.info),
    holder: readHolder(given.holder),
    holders: undefined,
    resources: undefined,
  }
}

function readInfo(given: unknown): string | undefined {
  if (given === undefined) return undefined
  const text = asJson(given)
  if (text === undefined) throw new TypeError(`info is a ${typeof given}, which JSON cannot carry`)
  const length = Buffer.byteLength(text)
  if (length <= LONGEST_INFO) return text
  throw new TypeError(`info has ${length} bytes as JSON, at most ${LONGEST_INFO} are allowed`)
}

function asJson(given: unknown): string | undefined {
  try {
    return JSON.stringify(given)
  } catch (error) {
    const [why] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new TypeError(`info cannot be written as JSON: ${why}`, { cause: error })
  }
}

function readOnWait(given: unknown): Required<OnWait> | undefined {
  if (given === undefined) return undefined
  const { after, tell } = (typeof given === 'object' && given !== null ? given : {}) as Partial<OnWait>
  if (typeof tell !== 'function') throw new TypeError('onWait is not { after: milliseconds, tell: function }')
  return { after: Math.max(1, readTime('onWait.after', after) ?? LONG_WAIT), tell }
}

const LONG_WAIT = 5000

function readMode(mode: unknown): Mode {
  if (mode === undefined) return 'exclusive'
  const text = toText(mode, 'a mode')
  if (text === 'exclusive' || text === 'shared' || text === 'update') return text
  throw new TypeError(`mode "${text}" is not "exclusive", "shared" or "update"`)
}

export function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal
  throw new TypeError('signal is not an AbortSignal')
}

export function readTime(option: string, time: unknown): number | undefined {
  if (time === undefined) return undefined
  if (typeof time === 'number' && time >= 0 && time <= 2 ** 31 - 1) return time
  throw new TypeError(
    `${option} ${JSON.stringify(time)} is not a number of milliseconds from 0 to ${2 ** 31 - 1}`,
  )
}

function readPriority(priority: unknown): number {
  if (priority === undefined) return 0
  if (Number.isSafeInteger(priority)) return priority as number
  throw new TypeError(`priority ${JSON.stringify(priority)} is not a whole number`)
}

import { Buffer } from 'node:buffer'
import { nearestNames } from '@turnwise/core/invalid-input'

/**
 * Small checks of decoded values, composed to checks of whole messages. Each is typed by the values that it accepts. So a field
 * that is added to a message and forgotten here does not compile. A check returns what is wrong, or null. Only a failure names
 * the place, so a valid message costs no text.
 */
export interface Check<T> {
  (value: unknown): string | null
  /** Never present at run time. It makes checks of different types incompatible. */
  readonly lets?: (value: T) => T
}

/** One check for each field. */
export type Checks<T> = { readonly [Field in keyof T]-?: Check<T[Field]> }

export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): Check<number> {
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? null
      : `${shown(value)} is not a whole number from ${min} to ${max}`
}

/** A time or a duration: finite, within the range of a clock. */
export function measure(min: number, max: number): Check<number> {
  return (value) =>
    typeof value === 'number' && value >= min && value <= max
      ? null
      : `${shown(value)} is not a number from ${min} to ${max}`
}

export function text(shortest: number, longest: number): Check<string> {
  return (value) =>
    typeof value === 'string' && value.length >= shortest && value.length <= longest
      ? null
      : `${shown(value)} is not a text of ${shortest} to ${longest} characters`
}

/** A text that UTF-8 can carry. Members refuse any other, and what they refuse would be sent again and again. */
export function unicode(shortest: number, longest: number): Check<string> {
  return where(text(shortest, longest), isUnicode, 'it is not Unicode')
}

/** Whether it has no unpaired surrogate. */
export function isUnicode(value: string): boolean {
  return !/\p{Surrogate}/u.test(value)
}

/** JSON of at most so many bytes. */
export function jsonText(longest: number): Check<string> {
  return (value) => {
    if (typeof value !== 'string') return `${shown(value)} is not a text`
    const length = Buffer.byteLength(value)
    if (length > longest) return `a text of ${length} bytes is longer than ${longest}`
    try {
      JSON.parse(value)
      return null
    } catch {
      return `${shown(value)} is not JSON`
    }
  }
}

export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  return (value) =>
    values.includes(value as T) ? null : `${shown(value)} is not one of ${values.join(', ')}`
}

export const flag: Check<boolean> = (value) =>
  typeof value === 'boolean' ? null : `${shown(value)} is not true or false`

export function orNull<T>(check: Check<T>): Check<T | null> {
  return (value) => (value === null ? null : check(value))
}

export function listOf<T>(check: Check<T>, longest: number = Number.MAX_SAFE_INTEGER): Check<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return `${shown(value)} is not a list`
    if (value.length > longest) return `a list of ${value.length} is longer than ${longest}`
    for (let index = 0; index < value.length; index += 1) {
      const complaint = check(value[index])
      if (complaint !== null) return `[${index}]: ${complaint}`
    }
    return null
  }
}

/** A map by name. The names are checked too. */
export function mapOf<T>(name: Check<string>, check: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isObject(value)) return `${shown(value)} is not a map`
    for (const key of Object.keys(value)) {
      const complaint = name(key) ?? check(value[key])
      if (complaint !== null) return `"${key.slice(0, LONGEST_SHOWN)}": ${complaint}`
    }
    return null
  }
}

/** Exactly these fields, and any of the optional ones. `known`: how many further fields the caller has already checked. */
export function fields<T extends object, Optional extends keyof T = never>(
  checks: Checks<Omit<T, Optional>>,
  known: number = 0,
  optional?: Checks<Required<Pick<T, Optional>>>,
): Check<T> {
  const list = namedChecks(checks)
  const rest = namedChecks(optional ?? {})
  const count = list.length + known
  return (value) => {
    if (!isObject(value)) return `${shown(value)} is not an object`
    for (const { name, check } of list) {
      const complaint = check(value[name])
      if (complaint !== null) return `${name}: ${complaint}`
    }
    // All declared fields are present: their checks reject undefined.
    let expected = count
    for (const { name, check } of rest) {
      if (!(name in value)) continue
      const complaint = check(value[name])
      if (complaint !== null) return `${name}: ${complaint}`
      expected += 1
    }
    let present = 0
    for (const _ in value) present += 1
    return present === expected ? null : `expected ${expected} fields, got ${present}`
  }
}

function namedChecks(checks: object): readonly { readonly name: string; readonly check: Check<unknown> }[] {
  return Object.entries(checks as Readonly<Record<string, Check<unknown>>>).map(([name, check]) => ({
    name,
    check,
  }))
}

/** No fields other than these. Any of them may be missing. */
export function someOf(checks: Readonly<Record<string, Check<unknown>>>): Check<object> {
  return (value) => {
    if (!isObject(value)) return `${shown(value)} is not an object`
    for (const name of Object.keys(value)) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      const complaint = check === undefined ? 'it is unknown' : check(value[name])
      if (complaint !== null) return `${name}: ${complaint}`
    }
    return null
  }
}

/** Objects with one field that says which variant they are. */
export function variants<T extends { readonly [Field in Tag]: string }, Tag extends keyof T & string>(
  tag: Tag,
  table: { readonly [Kind in T[Tag]]: Check<Omit<Extract<T, { readonly [Field in Tag]: Kind }>, Tag>> },
): Check<T> {
  return (value) => {
    if (!isObject(value)) return `${shown(value)} is not an object`
    const kind = value[tag]
    if (typeof kind !== 'string' || !Object.hasOwn(table, kind)) return `${tag}: ${shown(kind)} is unknown`
    const complaint = (table[kind as T[Tag]] as Check<unknown>)(value)
    return complaint === null ? null : `${kind}: ${complaint}`
  }
}

/** How many fields `variants` has already checked in the objects of its table. */
export const TAG = 1

/** A second condition, for values that have the right form. */
export function where<T>(check: Check<T>, holds: (value: T) => boolean, otherwise: string): Check<T> {
  return (value) => check(value) ?? (holds(value as T) ? null : otherwise)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const LONGEST_SHOWN = 40

/** Shows only the beginning of a value from outside, for logs. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (isObject(value)) return 'an object'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return 'a function'
  // JSON has no symbols, large integers or non-finite numbers.
  const isOdd = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'symbol'
  const shown = isOdd ? String(value) : JSON.stringify(value)
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}...` : shown
}

/** Names the nearest option, or all of them. */
export function unknownOption(name: string, whose: string, known: readonly string[]): string {
  const [nearest] = nearestNames(name, known)
  const instead = nearest === undefined ? `the options are ${known.join(', ')}` : `did you mean "${nearest}"?`
  return `${shown(name)} is not an option of ${whose}: ${instead}`
}

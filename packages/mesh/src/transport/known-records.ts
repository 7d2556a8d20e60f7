import { byteAt } from '@turnwise/core/bounds'

const KNOWN = 1024

/** How many bytes fit into a key. */
export const LONGEST_KEY = 4

type Plain = Readonly<Record<string, unknown>>

/**
 * A cache of short records that were read lately, such as places in a line, which come and go with every message. Nobody changes a
 * message, so one object does for all. It is found by its bytes, and its bytes by the object.
 */
export class KnownRecords {
  #records = new Map<number, Plain>()
  #keys = new WeakMap<object, number>()

  at(key: number): Plain | undefined {
    return this.#records.get(key)
  }

  keyOf(record: object): number | undefined {
    return this.#keys.get(record)
  }

  /** Peers choose the records, so the cache is bounded. */
  add(key: number, record: Plain): void {
    if (this.#records.size === KNOWN) this.#records.clear()
    this.#records.set(key, record)
    this.#keys.set(record, key)
  }
}

/** The bytes as one number, the first one lowest. */
export function keyAt(bytes: Uint8Array, start: number, length: number): number {
  let key = 0
  for (let i = length - 1; i >= 0; i -= 1) key = (key << 8) | byteAt(bytes, start + i)
  return key
}

export function writeKey(bytes: Uint8Array, start: number, length: number, key: number): void {
  for (let i = 0; i < length; i += 1) bytes[start + i] = key >> (8 * i)
}

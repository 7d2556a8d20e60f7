/**
 * A map that most often has one entry, which comes and goes with every turn at a lock. Taking the last entry out of a `Map` is slow,
 * because the map then shrinks. So the oldest entry is kept beside a map. Entries stay in order, as in a `Map`.
 */
export class Few<Key, Value extends object | string> {
  /** Both null while there is no entry here. New entries come here only if there are no others. */
  #key: Key | null = null
  #value: Value | null = null
  readonly #others = new Map<Key, Value>()

  get size(): number {
    return (this.#value === null ? 0 : 1) + this.#others.size
  }

  get(key: Key): Value | undefined {
    if (this.#value !== null && this.#key === key) return this.#value
    return this.#others.size === 0 ? undefined : this.#others.get(key)
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined
  }

  /** The key must be new. */
  add(key: Key, value: Value): void {
    if (this.#value !== null || this.#others.size > 0) return void this.#others.set(key, value)
    this.#key = key
    this.#value = value
  }

  delete(key: Key): boolean {
    if (this.#value === null || this.#key !== key) return this.#others.size > 0 && this.#others.delete(key)
    this.#key = null
    this.#value = null
    return true
  }

  *[Symbol.iterator](): Generator<[Key, Value], void, undefined> {
    if (this.#key !== null && this.#value !== null) yield [this.#key, this.#value]
    yield* this.#others
  }

  *values(): Generator<Value, void, undefined> {
    for (const [, value] of this) yield value
  }
}

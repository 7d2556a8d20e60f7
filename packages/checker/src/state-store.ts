import { byteAt, doubled, floatAt, intAt, outOfBounds } from '@turnwise/core/bounds'
import { decodeWorld, encodeWorld, MOST_BYTES, type WrittenWorlds } from './world-bytes.ts'

/**
 * The worlds seen so far, each once, in the order in which they were found. A world is a list of small numbers,
 * written as variable-length bytes one after the other; an open hash table finds them again. No fingerprints: two worlds
 * are the same only if all their numbers are.
 *
 * A slot of the table is 0 or holds the number of a state plus one in as many low bits as it takes to number the slots,
 * and above them those bits of the hash that did not choose the slot. Most worlds that only meet in a slot are told
 * apart by these, without a look at their bytes.
 */
export class StateStore {
  length = 0
  /** From which state each was found. */
  #parents = new Uint32Array(INITIAL)
  #offsets = new Float64Array(INITIAL)
  #bytes = new Uint8Array(INITIAL * 16)
  #used = 0
  #table = new Int32Array(INITIAL * 2)
  readonly #scratch = new Uint8Array(MOST_BYTES)

  /** Returns the number of the state, and whether it is new in `isNew`. */
  isNew = false

  add(world: Int32Array, size: number, parent: number): number {
    return this.addBytes(this.#scratch, 0, encodeWorld(world, size, this.#scratch, 0), parent)
  }

  /** The same for a world that is written between two places already. */
  addBytes(bytes: Uint8Array, start: number, end: number, parent: number): number {
    const hash = hashOf(bytes, start, end)
    const place = this.#placeOf(hash, bytes, start, end)
    const entry = intAt(this.#table, place)
    this.isNew = entry === 0
    if (entry === 0) return this.#append(bytes, start, end, parent, place, hash)
    return (entry & (this.#table.length - 1)) - 1
  }

  /** The number of a state, or -1 if it was never added. */
  find(world: Int32Array, size: number): number {
    const end = encodeWorld(world, size, this.#scratch, 0)
    const place = this.#placeOf(hashOf(this.#scratch, 0, end), this.#scratch, 0, end)
    return (intAt(this.#table, place) & (this.#table.length - 1)) - 1
  }

  /** The slot in which a world is, or would be. */
  #placeOf(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const table = this.#table
    const mask = table.length - 1
    let place = hash & mask
    for (let entry = intAt(table, place); entry !== 0; entry = intAt(table, place)) {
      if (((entry ^ hash) & ~mask) === 0 && this.#equals((entry & mask) - 1, bytes, start, end)) return place
      place = (place + 1) & mask
    }
    return place
  }

  /** Writes a state into `world` and returns its size. */
  read(state: number, world: Int32Array): number {
    return decodeWorld(this.#bytes, floatAt(this.#offsets, state), this.#endOf(state), world)
  }

  /** The worlds of some states in a row, as bytes of their own: written one after the other, and how long each is. */
  slice(from: number, to: number): WrittenWorlds {
    const sizes = new Uint16Array(to - from)
    for (let state = from; state < to; state += 1) {
      sizes[state - from] = this.#endOf(state) - floatAt(this.#offsets, state)
    }
    const end = to === from ? this.#offsets[from] : this.#endOf(to - 1)
    return { bytes: this.#bytes.slice(this.#offsets[from], end), sizes }
  }

  parentOf(state: number): number {
    return this.#parents[state] ?? outOfBounds()
  }

  /** What the states and the ways to find them take, in bytes. */
  get memory(): number {
    return this.#used + this.length * (4 + 8) + this.#table.byteLength
  }

  #endOf(state: number): number {
    return state + 1 < this.length ? floatAt(this.#offsets, state + 1) : this.#used
  }

  #equals(state: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = floatAt(this.#offsets, state)
    const length = end - start
    if (this.#endOf(state) - own !== length) return false
    const ours = this.#bytes
    for (let i = 0; i < length; i += 1) if (ours[own + i] !== bytes[start + i]) return false
    return true
  }

  #append(
    bytes: Uint8Array,
    start: number,
    end: number,
    parent: number,
    place: number,
    hash: number,
  ): number {
    const state = this.length
    if (state === this.#offsets.length) {
      this.#parents = doubled(this.#parents)
      this.#offsets = doubled(this.#offsets)
    }
    if (this.#used + end - start > this.#bytes.length) this.#bytes = doubled(this.#bytes)
    this.#offsets[state] = this.#used
    this.#parents[state] = parent
    const ours = this.#bytes
    const shift = this.#used - start
    for (let i = start; i < end; i += 1) ours[shift + i] = byteAt(bytes, i)
    this.#used += end - start
    this.#table[place] = (hash & ~(this.#table.length - 1)) | (state + 1)
    this.length += 1
    if (this.length * 10 > this.#table.length * 7) this.#growTable()
    return state
  }

  #growTable(): void {
    const table = new Int32Array(2 * this.#table.length)
    const mask = table.length - 1
    for (let state = 0; state < this.length; state += 1) {
      const hash = hashOf(this.#bytes, floatAt(this.#offsets, state), this.#endOf(state))
      let place = hash & mask
      while (table[place] !== 0) place = (place + 1) & mask
      table[place] = (hash & ~mask) | (state + 1)
    }
    this.#table = table
  }
}

const INITIAL = 1 << 14

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ byteAt(bytes, i), 0x01000193)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

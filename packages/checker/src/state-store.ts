/**
 * The worlds seen so far, each once, in the order in which they were found. A world is a list of small numbers,
 * written as variable-length bytes one after the other; an open hash table of positions finds them again. No
 * fingerprints: two worlds are the same only if all their numbers are.
 */
export class StateStore {
  length = 0
  /** From which state each was found. */
  #parents = new Uint32Array(INITIAL)
  #offsets = new Float64Array(INITIAL)
  #bytes = new Uint8Array(INITIAL * 16)
  #used = 0
  #table = new Uint32Array(INITIAL * 2)
  readonly #scratch = new Uint8Array(4096)

  /** Returns the number of the state, and whether it is new in `isNew`. */
  isNew = false

  add(world: Int32Array, size: number, parent: number): number {
    const end = this.#encode(world, size)
    const scratch = this.#scratch
    const table = this.#table
    const mask = table.length - 1
    let place = hashOf(scratch, 0, end) & mask
    for (let entry = table[place]; entry !== 0; entry = table[place]) {
      if (this.#equals(entry - 1, end)) {
        this.isNew = false
        return entry - 1
      }
      place = (place + 1) & mask
    }
    this.isNew = true
    return this.#append(end, parent, place)
  }

  /** The number of a state, or -1 if it was never added. */
  find(world: Int32Array, size: number): number {
    const end = this.#encode(world, size)
    const mask = this.#table.length - 1
    let place = hashOf(this.#scratch, 0, end) & mask
    for (let entry = this.#table[place]; entry !== 0; entry = this.#table[place]) {
      if (this.#equals(entry - 1, end)) return entry - 1
      place = (place + 1) & mask
    }
    return -1
  }

  /** Writes a state into `world` and returns its size. */
  read(state: number, world: Int32Array): number {
    const bytes = this.#bytes
    let at = this.#offsets[state]
    const end = state + 1 < this.length ? this.#offsets[state + 1] : this.#used
    let size = 0
    while (at < end) {
      let byte = bytes[at]
      at += 1
      let value = byte & 0x7f
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[at]
        at += 1
        value |= (byte & 0x7f) << shift
      }
      world[size] = value
      size += 1
    }
    return size
  }

  parentOf(state: number): number {
    return this.#parents[state]
  }

  /** What the states and the ways to find them take, in bytes. */
  get memory(): number {
    return this.#used + this.length * (4 + 8) + this.#table.byteLength
  }

  #encode(world: Int32Array, size: number): number {
    const scratch = this.#scratch
    let at = 0
    for (let i = 0; i < size; i += 1) {
      let value = world[i]
      while (value >= 0x80) {
        scratch[at] = (value & 0x7f) | 0x80
        at += 1
        value >>>= 7
      }
      scratch[at] = value
      at += 1
    }
    return at
  }

  #equals(state: number, length: number): boolean {
    const start = this.#offsets[state]
    const end = state + 1 < this.length ? this.#offsets[state + 1] : this.#used
    if (end - start !== length) return false
    const bytes = this.#bytes
    const scratch = this.#scratch
    for (let i = 0; i < length; i += 1) if (bytes[start + i] !== scratch[i]) return false
    return true
  }

  #append(length: number, parent: number, place: number): number {
    const state = this.length
    if (state === this.#offsets.length) this.#growStates()
    if (this.#used + length > this.#bytes.length) this.#growBytes()
    this.#offsets[state] = this.#used
    this.#parents[state] = parent
    const bytes = this.#bytes
    const scratch = this.#scratch
    for (let i = 0; i < length; i += 1) bytes[this.#used + i] = scratch[i]
    this.#used += length
    this.#table[place] = state + 1
    this.length += 1
    if (this.length * 10 > this.#table.length * 7) this.#growTable()
    return state
  }

  #growStates(): void {
    const parents = new Uint32Array(2 * this.#parents.length)
    parents.set(this.#parents)
    this.#parents = parents
    const offsets = new Float64Array(2 * this.#offsets.length)
    offsets.set(this.#offsets)
    this.#offsets = offsets
  }

  #growBytes(): void {
    const bytes = new Uint8Array(2 * this.#bytes.length)
    bytes.set(this.#bytes)
    this.#bytes = bytes
  }

  #growTable(): void {
    const table = new Uint32Array(2 * this.#table.length)
    const mask = table.length - 1
    for (let state = 0; state < this.length; state += 1) {
      const start = this.#offsets[state]
      const end = state + 1 < this.length ? this.#offsets[state + 1] : this.#used
      let place = hashOf(this.#bytes, start, end) & mask
      while (table[place] !== 0) place = (place + 1) & mask
      table[place] = state + 1
    }
    this.#table = table
  }
}

const INITIAL = 1 << 14

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ bytes[i], 0x01000193)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

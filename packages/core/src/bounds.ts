/**
 * The compiler takes every read at an index for possibly undefined. These say that an invariant keeps the index within
 * bounds, and throw if it does not. Where a loop over the values does, no index is needed.
 */
export function get<Value>(list: readonly Value[], index: number): Value {
  const value = list[index]
  if (value === undefined) throw new RangeError(`a list of ${list.length} has no index ${index}`)
  return value
}

/** Adds to a number of a table, and returns the sum. */
export function increase(table: number[], index: number, by = 1): number {
  const sum = get(table, index) + by
  table[index] = sum
  return sum
}

/** One function for each kind of array in hot loops: the engine compiles each to a plain read. */
export function intAt(ints: Int32Array, index: number): number {
  return ints[index] ?? outOfBounds()
}

export function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? outOfBounds()
}

export function floatAt(floats: Float64Array, index: number): number {
  return floats[index] ?? outOfBounds()
}

/** An array twice as long that begins like this one. */
export function doubled<Numbers extends Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array>(
  numbers: Numbers,
): Numbers {
  const longer = new (numbers.constructor as new (length: number) => Numbers)(2 * numbers.length)
  longer.set(numbers)
  return longer
}

/** For arrays of other kinds: `starts[state] ?? outOfBounds()`. */
export function outOfBounds(): never {
  throw new RangeError('an index is out of bounds')
}

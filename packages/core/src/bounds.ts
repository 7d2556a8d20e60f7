/**
 * The compiler takes every read at an index for possibly undefined. These say that the index is within bounds by an
 * invariant, and throw if it is not. Where a loop over the values does, no index is needed.
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

/** For typed arrays in hot loops: `bytes[i] ?? outOfBounds()` costs nothing. A function for arrays of all kinds would. */
export function outOfBounds(): never {
  throw new RangeError('an index is out of bounds')
}

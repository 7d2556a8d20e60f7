/** The value, which the test knows is there. Without it the test fails here, not where the value is used. */
export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new RangeError('a value that the test needs is undefined')
  return value
}

/** A list of at least so many items; if the count is known only when the test runs, any list. */
export type AtLeast<Count extends number, Item, First extends Item[] = []> = number extends Count
  ? Item[]
  : First['length'] extends Count
    ? [...First, ...Item[]]
    : AtLeast<Count, Item, [...First, Item]>

/** What the test knows has so many items: `const [a, b] = atLeast(2, nodes)`. */
export function atLeast<Count extends number, Item>(
  count: Count,
  items: Iterable<Item>,
): AtLeast<Count, Item> {
  const list = [...items]
  const found = list.slice(0, count).filter((item) => item !== undefined).length
  if (found < count) throw new RangeError(`the test needs ${count} items, and ${found} are there`)
  return list as AtLeast<Count, Item>
}

/**
 * A record whose keys others choose: ids, names, voterIds. A plain object has a "constructor" before it is given one, and
 * takes "__proto__" for its prototype.
 */
export function dictionary<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  const made = Object.create(null) as Record<string, T>
  for (const [key, value] of entries) made[key] = value
  return made
}

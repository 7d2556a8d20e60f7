/**
 * A record whose keys come from outside: ids, names, voterIds. A plain object would inherit "constructor", and would take
 * "__proto__" for its prototype.
 */
export function dictionary<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  const made = Object.create(null) as Record<string, T>
  for (const [key, value] of entries) made[key] = value
  return made
}

/**
 * A copy of plain data that shares with an earlier copy whatever is still the same. A run keeps a state for every step
 * that way: what a step did not touch is kept once, and what it did touch is found by comparing references.
 */
export function sharedCopy<Value>(old: unknown, now: Value): Value {
  if (old === now || typeof now !== 'object' || now === null) return now
  return (Array.isArray(now) ? arrayCopy(old, now) : objectCopy(old, now)) as Value
}

function arrayCopy(old: unknown, now: readonly unknown[]): readonly unknown[] {
  const before = Array.isArray(old) ? (old as readonly unknown[]) : null
  let isSame = before !== null && before.length === now.length
  const copy: unknown[] = []
  for (let i = 0; i < now.length; i += 1) {
    const item = sharedCopy(before?.[i], now[i])
    if (isSame && item !== before?.[i]) isSame = false
    copy.push(item)
  }
  return isSame && before !== null ? before : copy
}

function objectCopy(old: unknown, now: object): object {
  const before =
    typeof old === 'object' && old !== null && !Array.isArray(old) ? (old as Record<string, unknown>) : null
  const copy: Record<string, unknown> = {}
  let fields = 0
  let isSame = before !== null
  for (const [name, value] of Object.entries(now) as [string, unknown][]) {
    const item = sharedCopy(before?.[name], value)
    if (isSame && (item !== before?.[name] || !(name in (before ?? {})))) isSame = false
    copy[name] = item
    fields += 1
  }
  return isSame && before !== null && Object.keys(before).length === fields ? before : copy
}

import { invalid } from '@turnwise/core/invalid-input'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Reads `500ms`, `2s`, `1.5m` or `1h` within bounds, as milliseconds. */
export function duration(text: string, min: number, max: number): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? []
  const value = digits === undefined ? Number.NaN : Number(digits) * UNITS[unit]
  if (value >= min && value <= max) return value
  throw invalid(text, `a time with its unit, from ${writeDuration(min)} to ${writeDuration(max)}`)
}

export function writeDuration(milliseconds: number): string {
  const unit = ['h', 'm', 's'].find((each) => milliseconds >= UNITS[each] && milliseconds % UNITS[each] === 0)
  return unit === undefined ? `${milliseconds}ms` : `${milliseconds / UNITS[unit]}${unit}`
}

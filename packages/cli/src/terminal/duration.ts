import { invalid } from '@turnwise/core/invalid-input'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** What a timer takes. */
const LONGEST = 2 ** 31 - 1

/** Reads `30s`, `1.5m` or `200ms` as milliseconds. */
export function duration(text: string, what: string): number {
  const value = millisecondsIn(text)
  if (value >= 0 && value <= LONGEST) return value
  throw invalid(text, `${what}: a number with ms, s, m or h, such as 30s, at most 596h`)
}

function millisecondsIn(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? []
  return Number(count) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN)
}

/** A duration within bounds, in milliseconds. */
export function durationWithin(text: string, min: number, max: number): number {
  const value = millisecondsIn(text)
  if (value >= min && value <= max) return value
  const unit = Number.isNaN(value) ? ': a number with ms, s, m or h' : ''
  throw invalid(text, `a time from ${durationText(min)} to ${durationText(max)}${unit}`)
}

/** As people read it: `340 ms`, `12.3 s`, `5 min`, `3 h`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`
  return ms < 172_800_000 ? `${Math.floor(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} days`
}

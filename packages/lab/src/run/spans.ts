import { countWhile } from './count-while.ts'
import type { Span } from './recording.ts'

/** For each span the latest end of all up to it. Spans are added as they begin, and end later: an end that is not known yet counts as never. */
interface Ends {
  readonly spans: number
  readonly latest: readonly number[]
}

const known = new WeakMap<readonly Span[], Ends>()

function latestEnds(spans: readonly Span[]): readonly number[] {
  const before = known.get(spans)
  if (before?.spans === spans.length) return before.latest
  let most = 0
  const latest = spans.map(({ until }) => {
    most = Math.max(most, until)
    return most
  })
  known.set(spans, { spans: spans.length, latest })
  return latest
}

/**
 * The spans that last at some position from the first to the last of these. It is asked with every frame, of runs with thousands of
 * entries, so those that ended before are not looked at.
 */
export function spansBetween(spans: readonly Span[], first: number, last: number): readonly Span[] {
  const latest = latestEnds(spans)
  const begun = countWhile(spans, ({ from }) => from <= last)
  const over = countWhile(latest, (end) => end <= first)
  return spans.slice(over, begun).filter(({ until }) => until > first)
}

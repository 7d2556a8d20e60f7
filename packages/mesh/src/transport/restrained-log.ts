/**
 * Whoever reaches the port of a node can make it refuse something as often as they like. Of that so many lines are written in a
 * while, and then how many more there were.
 */
export interface RestrainedLog {
  readonly write: (line: string) => void
  /** Tells what was left out and not told yet. */
  end(): void
}

export const MOST_LINES = 20
/** Milliseconds. */
export const WHILE = 10_000

export function restrainedLog(log: (line: string) => void, now: () => number): RestrainedLog {
  let since = Number.NEGATIVE_INFINITY
  let written = 0
  let leftOut = 0
  const end = () => {
    if (leftOut > 0) log(`more refusals and broken connections were not logged: ${leftOut}`)
    leftOut = 0
  }
  return {
    write(line) {
      if (now() - since >= WHILE) {
        end()
        since = now()
        written = 0
      }
      if (written < MOST_LINES) log(line)
      else leftOut += 1
      written += 1
    },
    end,
  }
}

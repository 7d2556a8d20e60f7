/**
 * Strangers that reach the port of a node can cause refusals as often as they like. So only some lines are written in a period,
 * and then the number of those left out.
 */
export interface RestrainedLog {
  readonly write: (line: string) => void
  /** Logs how many lines were left out and not counted yet. */
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

/**
 * Strangers that reach the port of a node can cause refusals as often as they like, and a peer with wrong settings dials until its
 * operator mends them. So only some lines are written in a period, each once, and then the number of those left out.
 */
export interface RestrainedLog {
  readonly write: (line: string) => void
  /** Logs how many lines were left out and not counted yet. */
  end(): void
}

export const MOST_LINES = 20
/** Milliseconds. */
export const WHILE = 10_000

/** A dialler has another one each time. */
const PORT = /:\d+ /

export function restrainedLog(log: (line: string) => void, now: () => number): RestrainedLog {
  let since = Number.NEGATIVE_INFINITY
  const written = new Set<string>()
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
        written.clear()
      }
      const kind = line.replace(PORT, ' ')
      if (written.size < MOST_LINES && !written.has(kind)) {
        written.add(kind)
        log(line)
      } else leftOut += 1
    },
    end,
  }
}

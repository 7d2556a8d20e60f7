/** Timers of connections. Tests replace them. */
export interface Timers {
  /** Runs the action once, later. The returned function cancels it. */
  after(milliseconds: number, action: () => void): () => void
}

export const realTimers: Timers = {
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** The process may end before they fire. */
export const restingTimers: Timers = {
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}

/** Time, as far as connections need it: tests put their own in its place. */
export interface Timers {
  /** Runs the action once, later; the function it returns takes that back. */
  after(milliseconds: number, action: () => void): () => void
}

export const realTimers: Timers = {
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** The process may end before they are due. */
export const restingTimers: Timers = {
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}

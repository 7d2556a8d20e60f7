/** Timers that wake a node, each once. */
export class Wakes {
  readonly #wake: () => void
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Rounds up: a timer that fires too early would find nothing due. */
  after(milliseconds: number): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.#wake()
      },
      Math.max(1, Math.ceil(milliseconds)),
    )
    this.#timers.add(timer)
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}

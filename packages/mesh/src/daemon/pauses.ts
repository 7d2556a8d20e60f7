/** Pauses that end early when nothing more can be asked. */
interface Pause {
  readonly timer: NodeJS.Timeout
  end(isOpen: boolean): void
}

export class Pauses {
  readonly #open = new Set<Pause>()
  #isAlive = true

  /** Resolves with true after so many milliseconds, or with false at `end`. */
  next(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const pause: Pause = {
        timer: setTimeout(() => pause.end(true), milliseconds),
        end: (isOpen) => {
          clearTimeout(pause.timer)
          this.#open.delete(pause)
          resolve(isOpen)
        },
      }
      this.#open.add(pause)
      this.keepAlive(this.#isAlive)
    })
  }

  /** Whether they keep the process alive. */
  keepAlive(isAlive: boolean): void {
    this.#isAlive = isAlive
    for (const { timer } of this.#open) {
      if (isAlive) timer.ref()
      else timer.unref()
    }
  }

  end(): void {
    for (const pause of this.#open) pause.end(false)
  }
}

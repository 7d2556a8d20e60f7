/** Pauses that end early when nothing more can be asked. */
export class Pauses {
  readonly #open = new Set<(isOpen: boolean) => void>()

  /** Resolves with true after so many milliseconds, or with false at `end`. */
  next(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isOpen: boolean) => {
        clearTimeout(timer)
        this.#open.delete(end)
        resolve(isOpen)
      }
      const timer = setTimeout(() => end(true), milliseconds)
      this.#open.add(end)
    })
  }

  end(): void {
    for (const end of this.#open) end(false)
  }
}

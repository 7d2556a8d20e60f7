/**
 * Lets one change through per frame. The first is done at once, so that a step is seen without delay; of those that come
 * before the next frame only the last is done, when that frame begins. A mouse reports more often than a screen is drawn.
 */
export class FrameGate {
  readonly #nextFrame: (then: () => void) => void
  #isOpen = true
  #held: (() => void) | null = null

  constructor(nextFrame: (then: () => void) => void = (then) => requestAnimationFrame(then)) {
    this.#nextFrame = nextFrame
  }

  pass(change: () => void): void {
    if (!this.#isOpen) {
      this.#held = change
      return
    }
    this.#isOpen = false
    this.#nextFrame(() => {
      this.#isOpen = true
      const held = this.#held
      this.#held = null
      if (held !== null) this.pass(held)
    })
    change()
  }
}

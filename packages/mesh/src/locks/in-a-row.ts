const MOST = 128

/**
 * Callers of one node that are let in one after another without a message. During one turn of the event loop there may be only so many:
 * otherwise nothing that others sent would be read, and the lease not renewed. There may be few after one that a message let in,
 * since others may have asked and not be heard yet, and then twice as many each time.
 */
export class InARow {
  #count = 0
  #most = MOST

  /** One more; true if the event loop must turn before its caller hears of it. */
  isOneTooMany(): boolean {
    this.#count += 1
    if (this.#count < this.#most) return false
    this.#begin(Math.min(MOST, 2 * this.#most))
    return true
  }

  /** A message let one in. */
  interrupted(): void {
    this.#begin(1)
  }

  #begin(most: number): void {
    this.#count = 0
    this.#most = most
  }
}

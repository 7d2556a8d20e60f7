const MOST = 128

/**
 * Limits how many callers of one node are let in one after another without a message, in one turn of the event loop. Otherwise no
 * messages would be read, and the lease would not be renewed. After a grant that came by message the limit is low, because other
 * nodes may have asked unheard. Then it doubles each time.
 */
export class InARow {
  #count = 0
  #most = MOST

  /** Counts one more. True if the event loop must turn before its caller hears of it. */
  isOneTooMany(): boolean {
    this.#count += 1
    if (this.#count < this.#most) return false
    this.#begin(Math.min(MOST, 2 * this.#most))
    return true
  }

  /** A grant came by message. */
  interrupted(): void {
    this.#begin(1)
  }

  #begin(most: number): void {
    this.#count = 0
    this.#most = most
  }
}

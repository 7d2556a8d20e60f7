/**
 * When connections write queued messages. Messages that follow from a peer's message leave as soon as that one is handled,
 * including the promises that it settles. So a lock that arrives and is passed on does not wait for the next turn of the event
 * loop. Messages of the program itself wait for that turn, because more may follow. Either way there is one write per peer.
 *
 * If handling mostly leads to a single message, as on a ring, it leaves at once. The next node begins while this one finishes,
 * most often by requesting again.
 */
import { nextTick } from 'node:process'

export class Flushes {
  #due: (() => void)[] = []
  #isReading = false
  #last: (() => void) | null = null
  #isAwaited = false
  /** How many messages were sent since something was read, and how often in a row it was exactly one. */
  #sent = 0
  #alone = 0

  /** `flush` writes what one connection has queued. It is added once per write. */
  add(flush: () => void): void {
    this.#sent += 1
    if (this.#isReading && this.#sent === 1 && this.#alone >= OFTEN) return flush()
    this.#due.push(flush)
    if (this.#isReading || this.#isAwaited) return
    this.#isAwaited = true
    setImmediate(this.#turned)
  }

  /** Another message joins one that already waits. */
  follow(): void {
    this.#sent += 1
  }

  /** Runs `take`, which handles what was read. Writing waits for the promises that it settles. */
  whileReading(take: () => void): void {
    if (this.#isReading) return take()
    this.#isReading = true
    this.#sent = 0
    try {
      take()
    } finally {
      void READY.then(this.#afterPromises)
    }
  }

  /** A tick runs after all settled promises, and after those that they settle. */
  readonly #afterPromises = (): void => nextTick(this.#dealtWith)

  /** Runs the action when what was read is handled, before anything is written. Returns false if nothing is being read. */
  beforeWriting(action: () => void): boolean {
    if (this.#isReading) this.#last = action
    return this.#isReading
  }

  readonly #dealtWith = (): void => {
    this.#last?.()
    this.#last = null
    this.#isReading = false
    if (this.#sent > 0) this.#alone = this.#sent === 1 ? this.#alone + 1 : 0
    this.#flush()
  }

  readonly #turned = (): void => {
    this.#isAwaited = false
    this.#flush()
  }

  #flush(): void {
    if (this.#due.length === 0) return
    const due = this.#due
    this.#due = []
    // In reverse order: the receiver of a lock may get this very processor, and a request that followed would be late.
    for (const flush of due.toReversed()) flush()
  }
}

const READY = Promise.resolve()

const OFTEN = 16

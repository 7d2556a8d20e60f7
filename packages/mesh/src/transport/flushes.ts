/**
 * When connections write what was sent on them. What a peer's messages lead to leaves as soon as they are dealt with, the
 * promises that they settle included: a lock that comes in and is passed on does not wait for the event loop to turn. What
 * the program sends by itself does, since more may follow in the same turn. Either way it is one write for each peer.
 *
 * Where one message is all that ever comes of it, as round a ring, it leaves at once: the next node begins while this one does
 * what is left, most often to ask again.
 */
import { nextTick } from 'node:process'

export class Flushes {
  #due: (() => void)[] = []
  #isReading = false
  #last: (() => void) | null = null
  #isAwaited = false
  /** How many messages were sent since something was read, and how often in a row it was one. */
  #sent = 0
  #alone = 0

  /** `flush` writes what one connection has queued; it is asked for once until then. */
  add(flush: () => void): void {
    this.#sent += 1
    if (this.#isReading && this.#sent === 1 && this.#alone >= OFTEN) return flush()
    this.#due.push(flush)
    if (this.#isReading || this.#isAwaited) return
    this.#isAwaited = true
    setImmediate(this.#turned)
  }

  /** Another message goes with one that waits already. */
  follow(): void {
    this.#sent += 1
  }

  /** Does what something that was read leads to. Promises that it settles come before what is left to do here. */
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

  /** Ticks come after all promises that are settled by then, and those that they settle. */
  readonly #afterPromises = (): void => nextTick(this.#dealtWith)

  /** Does this when what was read is dealt with, before anything more is written. False if nothing is being read. */
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
    // The other way round: whoever is sent a lock may be given this very processor, and a request that followed would be late.
    for (const flush of due.toReversed()) flush()
  }
}

const READY = Promise.resolve()

const OFTEN = 16

/** A way on which bytes take their time, in the order in which they came. */
import { Transform, type TransformCallback } from 'node:stream'
import { monotonic } from '@turnwise/mesh/lease/clock'

/** Bytes on one way: what a line of 200 Mbit/s holds that is 160 ms long. Then the sender must wait. */
const MOST_UNDER_WAY = 4 * 2 ** 20
/** Milliseconds. Timers count whole ones: what is due sooner than half of one is due now. */
const SOON = 0.5

interface Piece {
  readonly due: number
  /** Null is the end. */
  readonly bytes: Buffer | null
  readonly done: () => void
}

export class Delay extends Transform {
  readonly #milliseconds: () => number
  readonly #underWay: Piece[] = []
  #bytes = 0
  #last = 0
  #timer: NodeJS.Timeout | null = null

  /** How long the next piece of bytes takes. No piece overtakes another. */
  constructor(milliseconds: () => number) {
    super()
    this.#milliseconds = milliseconds
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += bytes.length
    const isFull = this.#bytes >= MOST_UNDER_WAY
    this.#add({ bytes, due: monotonic() + this.#milliseconds(), done: isFull ? done : () => {} })
    if (!isFull) done()
  }

  /** The end takes as long as bytes do. */
  override _flush(done: TransformCallback): void {
    this.#add({ bytes: null, due: monotonic() + this.#milliseconds(), done })
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#underWay.length = 0
    done(error)
  }

  #add(piece: Piece): void {
    this.#last = Math.max(this.#last, piece.due)
    this.#underWay.push({ ...piece, due: this.#last })
    this.#release()
  }

  #release(): void {
    if (this.#timer !== null) return
    for (let first = this.#underWay[0]; first !== undefined; first = this.#underWay[0]) {
      const wait = first.due - monotonic()
      if (wait > SOON) {
        this.#timer = setTimeout(() => {
          this.#timer = null
          this.#release()
        }, wait)
        return
      }
      this.#underWay.shift()
      if (first.bytes !== null) {
        this.#bytes -= first.bytes.length
        this.push(first.bytes)
      }
      first.done()
    }
  }
}

/**
 * Long messages travel in parts, each a frame of its own, in order on one connection; others may pass between two of them. So
 * a table of a hundred thousand locks makes no heartbeat wait, and fits though no frame would hold it. A connection that
 * breaks drops what was not complete: whoever sent it repeats it.
 */
import { Buffer } from 'node:buffer'
import { BadFrame } from './bad-frame.ts'

/** What a part begins with. No message begins so: these would be extensions, which none has. */
const MORE = 0xc7
const LAST = 0xc8

/** Messages up to this length go as one frame, where a frame may be so long. */
export const LONGEST_WHOLE = 4 * 1024 * 1024
const PART = 256 * 1024
/** As many frames of the longest kind as one message may take, put together: all that a peer can make this node keep. */
const MOST_FRAMES = 32

export function longestMessage(longestFrame: number): number {
  return MOST_FRAMES * longestFrame
}

/** The parts of a message, none of them longer than a frame may be. */
export function cut(body: Uint8Array, longestFrame: number): Uint8Array[] {
  const length = Math.min(PART, longestFrame) - 1
  const parts: Uint8Array[] = []
  for (let at = 0; at < body.length; at += length) {
    const piece = body.subarray(at, at + length)
    const part = Buffer.allocUnsafe(1 + piece.length)
    part[0] = at + length < body.length ? MORE : LAST
    part.set(piece, 1)
    parts.push(part)
  }
  return parts
}

export function isPart(tag: number): boolean {
  return tag === MORE || tag === LAST
}

/** Puts the parts of one message after another together. */
export class Joiner {
  readonly #longest: number
  #pieces: Buffer[] = []
  #length = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  /** The whole message with its last part, null before. Throws BadFrame for more than a message may be. */
  add(part: Buffer): Buffer | null {
    this.#length += part.length - 1
    if (this.#length > this.#longest)
      throw new BadFrame(`the parts of a message are longer than ${this.#longest} bytes`)
    // A copy: the part lies in what the socket has read, all of which would be kept with it.
    this.#pieces.push(Buffer.from(part.subarray(1)))
    if (part[0] === MORE) return null
    const whole = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#length = 0
    return whole
  }
}

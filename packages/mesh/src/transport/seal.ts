/**
 * Frames that nobody else can make, change, repeat, leave out or put in another order: those of one write share a sealed
 * frame, which begins with an HMAC-SHA-256 of its number and of all that follows, cut to 128 bits. Both sides count, so
 * the number itself is not sent. The end of a connection is not sealed: what was under way may be lost, as in any network.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { BadFrame } from './bad-frame.ts'
import { framedLength, joinFrames } from './framing.ts'

export const MARK_LENGTH = 16
/** A receiver hears nothing of a sealed frame before its end, so many small frames are not made one long one. */
const FULL = 64 * 1024

/** One side of one connection, which either only sends or only receives. */
export class Seal {
  readonly #key: KeyObject
  #count = 0n

  constructor(key: Buffer) {
    this.#key = createSecretKey(key)
  }

  /** What goes over the wire for these frames. */
  close(bodies: readonly Uint8Array[]): Buffer {
    const sealed: Uint8Array[] = []
    let group: Uint8Array[] = []
    let bytes = 0
    for (const body of bodies) {
      if (group.length > 0 && bytes + framedLength(body) > FULL) {
        sealed.push(this.#closed(group))
        group = []
        bytes = 0
      }
      group.push(body)
      bytes += framedLength(body)
    }
    if (group.length > 0) sealed.push(this.#closed(group))
    return joinFrames(sealed)
  }

  /** The frames, each with its length, that a sealed frame holds. Throws BadFrame unless it is the one that is due. */
  open(frame: Buffer): Buffer {
    const frames = frame.subarray(MARK_LENGTH)
    const mark = frame.subarray(0, MARK_LENGTH)
    if (mark.length < MARK_LENGTH || !timingSafeEqual(mark, this.#nextMark(frames))) {
      throw new BadFrame('its seal is wrong: somebody changed, repeated or left out what was sent')
    }
    return frames
  }

  #closed(bodies: readonly Uint8Array[]): Uint8Array {
    const frames = joinFrames(bodies)
    return Buffer.concat([this.#nextMark(frames), frames])
  }

  #nextMark(frames: Uint8Array): Buffer {
    const count = Buffer.allocUnsafe(8)
    count.writeBigUInt64BE(this.#count)
    this.#count += 1n
    return createHmac('sha256', this.#key).update(count).update(frames).digest().subarray(0, MARK_LENGTH)
  }
}

/** The longest sealed frame, where no frame in it is longer than the given number of bytes. */
export function longestSealed(longestFrame: number): number {
  return MARK_LENGTH + Math.max(FULL, framedLength({ length: longestFrame }))
}

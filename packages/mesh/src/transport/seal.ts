/**
 * Sealed frames, which an attacker cannot make, change, repeat, leave out or reorder. Frames of one write share a sealed frame.
 * It begins with an HMAC-SHA-256 of its number and its content, cut to 128 bits. Both sides count, so the number is not sent. The
 * end of a connection is not sealed: messages under way may be lost, as in any network.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { get } from '@turnwise/core/bounds'
import { BadFrame } from './bad-frame.ts'
import { framedLength, writeFrames } from './framing.ts'

export const MARK_LENGTH = 16
/** A receiver reads a sealed frame only when it is complete, so many small frames are not joined to one long one. */
const FULL = 64 * 1024
/** The bytes of a sealed frame beside its content. */
const OVERHEAD = framedLength({ length: MARK_LENGTH })

/** One direction of one connection. It only sends or only receives. */
export class Seal {
  readonly #key: KeyObject
  #count = 0

  constructor(key: Buffer) {
    this.#key = createSecretKey(key)
  }

  /** The sealed bytes of these frames. */
  close(bodies: readonly Uint8Array[]): Buffer {
    const groups = grouped(bodies)
    const bytes = Buffer.allocUnsafe(groups.reduce((sum, { length }) => sum + OVERHEAD + length, 0))
    let position = 0
    for (const { first, end, length } of groups) {
      const start = bytes.writeUInt32BE(MARK_LENGTH + length, position) + MARK_LENGTH
      position = writeFrames(bytes, start, bodies, first, end)
      bytes.set(this.#nextMark(bytes.subarray(start, position)), start - MARK_LENGTH)
    }
    return bytes
  }

  /** The frames in a sealed frame, each with its length. Throws BadFrame unless it is the expected one. */
  open(frame: Buffer): Buffer {
    const frames = frame.subarray(MARK_LENGTH)
    const mark = frame.subarray(0, MARK_LENGTH)
    if (mark.length < MARK_LENGTH || !timingSafeEqual(mark, this.#nextMark(frames))) {
      throw new BadFrame('its seal is wrong: a message was changed, repeated or dropped')
    }
    return frames
  }

  #nextMark(frames: Uint8Array): Buffer {
    const number = Buffer.allocUnsafe(8)
    number.writeUInt32BE(Math.floor(this.#count / 2 ** 32), 0)
    number.writeUInt32BE(this.#count % 2 ** 32, 4)
    this.#count += 1
    return createHmac('sha256', this.#key).update(number).update(frames).digest().subarray(0, MARK_LENGTH)
  }
}

/** Which frames are sealed together, and their total length. */
function grouped(bodies: readonly Uint8Array[]): { first: number; end: number; length: number }[] {
  const groups: { first: number; end: number; length: number }[] = []
  for (let index = 0; index < bodies.length; index += 1) {
    const length = framedLength(get(bodies, index))
    const last = groups.at(-1)
    if (last === undefined || last.length + length > FULL)
      groups.push({ first: index, end: index + 1, length })
    else {
      last.end = index + 1
      last.length += length
    }
  }
  return groups
}

/** The longest sealed frame, if no frame in it is longer than the given number of bytes. */
export function longestSealed(longestFrame: number): number {
  return MARK_LENGTH + Math.max(FULL, framedLength({ length: longestFrame }))
}

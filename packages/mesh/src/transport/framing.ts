/** Frames on a stream of bytes: a length of four bytes, most significant first, then that many bytes. */
import { Buffer } from 'node:buffer'
import { byteAt, get } from '@turnwise/core/bounds'
import { BadFrame } from './bad-frame.ts'

const HEADER = 4

/** Joins several frames, so that they leave in one write. */
export function joinFrames(bodies: readonly Uint8Array[]): Buffer {
  const joined = Buffer.allocUnsafe(bodies.reduce((sum, body) => sum + framedLength(body), 0))
  writeFrames(joined, 0, bodies, 0, bodies.length)
  return joined
}

/** Writes the frames from index `first` up to, but not including, `end`. Returns where they end. */
export function writeFrames(
  target: Buffer,
  position: number,
  bodies: readonly Uint8Array[],
  first: number,
  end: number,
): number {
  let at = position
  for (let index = first; index < end; index += 1) {
    const body = get(bodies, index)
    const { length } = body
    target[at] = length >>> 24
    target[at + 1] = length >>> 16
    target[at + 2] = length >>> 8
    target[at + 3] = length
    at += HEADER
    // For short bodies a loop is faster than a call of `set`.
    if (length <= SHORT) for (let i = 0; i < length; i += 1) target[at + i] = byteAt(body, i)
    else target.set(body, at)
    at += length
  }
  return at
}

const SHORT = 64

/** A number of four bytes. */
export function wordAt(bytes: Uint8Array, at: number): number {
  const high = (byteAt(bytes, at) << 24) | (byteAt(bytes, at + 1) << 16)
  return (high | (byteAt(bytes, at + 2) << 8) | byteAt(bytes, at + 3)) >>> 0
}

export function framedLength(body: { readonly length: number }): number {
  return HEADER + body.length
}

/** Splits what a socket reads into frames, wherever it was split on the way. */
export class FrameReader {
  /** A longer frame is refused when its length is read, before it takes memory. */
  limit: number
  /** The bytes being read. Most often they begin and end with a frame. */
  #bytes: Buffer = NOTHING
  /** Where the last frame began, and where it ended. */
  #start = 0
  #at = 0
  /** Chunks that came since, while a frame is not complete. */
  #later: Buffer[] = []
  #laterBytes = 0

  constructor(limit: number) {
    this.limit = limit
  }

  add(chunk: Buffer): void {
    if (this.#at === this.#bytes.length) {
      this.#bytes = chunk
      this.#at = 0
      return
    }
    this.#later.push(chunk)
    this.#laterBytes += chunk.length
  }

  /** The next whole frame, or null until more has been read. Throws BadFrame for an invalid length. */
  next(): Buffer | null {
    return this.advance() ? this.frame() : null
  }

  /** The last frame, as bytes. */
  frame(): Buffer {
    return this.#bytes.subarray(this.#start, this.#at)
  }

  /** The same without a copy: the frame is in `bytes`, from `start` to `end`. False until more has been read. */
  advance(): boolean {
    if (!this.#has(HEADER)) return false
    const bytes = this.#bytes
    const at = this.#at
    const length = wordAt(bytes, at)
    if (length === 0) throw new BadFrame('a frame is empty')
    if (length > this.limit) throw new BadFrame(`a frame of ${length} bytes is longer than ${this.limit}`)
    if (!this.#has(HEADER + length)) return false
    this.#start = this.#at + HEADER
    this.#at = this.#start + length
    return true
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  get start(): number {
    return this.#start
  }

  get end(): number {
    return this.#at
  }

  /** Whether so many bytes are here, in one piece. Chunks are joined only when there are enough of them. */
  #has(length: number): boolean {
    const here = this.#bytes.length - this.#at
    if (here >= length) return true
    if (here + this.#laterBytes < length) return false
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), ...this.#later])
    this.#at = 0
    this.#later = []
    this.#laterBytes = 0
    return true
  }
}

const NOTHING = Buffer.alloc(0)

/** Frames on a stream of bytes: four bytes of length, most significant first, then so many bytes. */
import { BadFrame } from './bad-frame.ts'

const HEADER = 4

/** Writes several frames as one piece, so that they leave in one write. */
export function joinFrames(bodies: readonly Uint8Array[]): Buffer {
  const joined = Buffer.allocUnsafe(bodies.reduce((sum, body) => sum + framedLength(body), 0))
  writeFrames(joined, 0, bodies, 0, bodies.length)
  return joined
}

/** Writes some of the frames, from the one of index `first` to that before `end`, and tells where they end. */
export function writeFrames(
  target: Buffer,
  position: number,
  bodies: readonly Uint8Array[],
  first: number,
  end: number,
): number {
  let at = position
  for (let index = first; index < end; index += 1) {
    const body = bodies[index]
    at = target.writeUInt32BE(body.length, at)
    target.set(body, at)
    at += body.length
  }
  return at
}

export function framedLength(body: { readonly length: number }): number {
  return HEADER + body.length
}

/** Cuts what a socket reads into frames, wherever it was split on the way. */
export class FrameReader {
  /** Longer frames are refused when their length is read, before they take memory. */
  limit: number
  /** What is being read, and how far; most often it begins and ends with a frame. */
  #bytes: Buffer = NOTHING
  #at = 0
  /** What came since, while a frame is not complete. */
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

  /** The next whole frame, or null until more has been read. Throws BadFrame for a length that is not allowed. */
  next(): Buffer | null {
    if (!this.#has(HEADER)) return null
    const length = this.#bytes.readUInt32BE(this.#at)
    if (length === 0) throw new BadFrame('a frame is empty')
    if (length > this.limit) throw new BadFrame(`a frame of ${length} bytes is longer than ${this.limit}`)
    if (!this.#has(HEADER + length)) return null
    const start = this.#at + HEADER
    this.#at = start + length
    return this.#bytes.subarray(start, this.#at)
  }

  /** Whether so many bytes are there, in one piece then: pieces are put together only when they are enough. */
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

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
  #chunks: Buffer[] = []
  #held = 0
  /** The length of the frame that is under way, or null before its header is complete. */
  #expected: number | null = null

  constructor(limit: number) {
    this.limit = limit
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#held += chunk.length
  }

  /** The next whole frame, or null until more has been read. Throws BadFrame for a length that is not allowed. */
  next(): Buffer | null {
    if (this.#expected === null) {
      const header = this.#take(HEADER)
      if (header === null) return null
      const length = header.readUInt32BE()
      if (length === 0) throw new BadFrame('a frame is empty')
      if (length > this.limit) throw new BadFrame(`a frame of ${length} bytes is longer than ${this.limit}`)
      this.#expected = length
    }
    const body = this.#take(this.#expected)
    if (body !== null) this.#expected = null
    return body
  }

  #take(length: number): Buffer | null {
    if (this.#held < length) return null
    // Only now are chunks put together: once for each frame, however many there are.
    const [first] = this.#chunks
    const all = first.length >= length ? first : Buffer.concat(this.#chunks)
    if (all !== first) this.#chunks = [all]
    this.#held -= length
    if (all.length === length) this.#chunks.shift()
    else this.#chunks[0] = all.subarray(length)
    return all.subarray(0, length)
  }
}

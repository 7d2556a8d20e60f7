import { FrameReader } from './framing.ts'
import { LONGEST_HANDSHAKE } from './handshake.ts'
import { longestSealed, type Seal } from './seal.ts'

/** Frames from a socket: first those of the handshake, then messages, unwrapped from sealed frames if there is a seal. */
export class FrameStream {
  /** Frames on the wire. With a seal these are sealed frames. */
  readonly #wire = new FrameReader(LONGEST_HANDSHAKE)
  /** Frames inside sealed frames. */
  readonly #opened: FrameReader
  #seal: Seal | null = null

  constructor(longestFrame: number) {
    this.#opened = new FrameReader(longestFrame)
  }

  /** The handshake is over. */
  begin(seal: Seal | null): void {
    const longest = this.#opened.limit
    this.#seal = seal
    this.#wire.limit = seal === null ? longest : longestSealed(longest)
  }

  add(chunk: Buffer): void {
    this.#wire.add(chunk)
  }

  /** Null until more has been read. Throws BadFrame for an invalid frame or a wrong seal. */
  next(): Buffer | null {
    return this.advance()?.frame() ?? null
  }

  /** The reader that stands at the next frame, or null. */
  advance(): FrameReader | null {
    if (this.#seal === null) return this.#wire.advance() ? this.#wire : null
    for (;;) {
      if (this.#opened.advance()) return this.#opened
      const sealed = this.#wire.next()
      if (sealed === null) return null
      this.#opened.add(this.#seal.open(sealed))
    }
  }
}

/** The handshake of a connection as two state machines, one for each side: frames in, frames and a decision out. */
import type { Id } from '../protocol/record.ts'
import {
  explain,
  type Hello,
  readAnswer,
  readHello,
  readProof,
  refusalOf,
  VERSION,
  writeAnswer,
  writeHello,
  writeProof,
} from './handshake.ts'
import type { Seal } from './seal.ts'
import { freshValue, type Meeting, proofOf, proves, sealOf } from './secret.ts'

/** How nodes of a mesh prove who they are, beyond what their sockets do. */
export interface Trust {
  readonly secret: string | null
  /** Whether frames are sealed: not where the sockets see to that. */
  readonly seals: boolean
}

/** What a frame of a handshake leads to. `say` is to be sent in any case; null asks for the next frame. */
export interface Step {
  readonly say: Uint8Array | null
  readonly end: { readonly refused: string } | Agreed | null
}

export interface Agreed {
  readonly hello: Hello
  readonly seal: Seal | null
}

/** What the one who is dialled asks its host. */
export interface Doors {
  readonly isPeer: (id: Id) => boolean
  /** Whether another process with this name is heard. Asked of those alone who have proved who they are: it is doubted then. */
  readonly hasTwin: (hello: Hello) => boolean
  /** What is wrong with a peer of that name by what the socket knows, or null. */
  readonly complaint: (id: Id) => string | null
}

/** Of the one who dials. */
export class Greeting {
  readonly hello: Hello
  readonly #trust: Trust
  #meeting: Meeting | null = null

  constructor(hello: Omit<Hello, 'challenge'>, trust: Trust) {
    this.hello = { ...hello, challenge: trust.secret === null ? null : freshValue() }
    this.#trust = trust
  }

  first(): Uint8Array {
    return writeHello(this.hello)
  }

  /** Throws BadFrame for what is no answer. */
  hear(frame: Buffer): Step {
    const { refusal, challenge, proof } = readAnswer(frame)
    if (refusal !== null) return refused(explain(refusal, this.hello))
    const { secret } = this.#trust
    if (secret === null || this.hello.challenge === null) {
      // Whoever wants a proof refuses a hello without a value, so this is no node of ours.
      if (challenge !== null || proof !== null)
        return refused(`${this.#peer} wants a proof that was not offered`)
      return { say: null, end: { hello: this.hello, seal: null } }
    }
    if (this.#meeting === null) {
      // A welcome without a challenge would do without the secret.
      if (challenge === null) return refused(`${this.#peer} does not prove that it knows the secret`)
      this.#meeting = meetingOf(this.hello, this.hello.challenge, challenge)
      return { say: writeProof(proofOf(secret, 'dialler', this.#meeting)), end: null }
    }
    if (proof === null || !proves(proof, secret, 'listener', this.#meeting)) {
      return refused(`${this.#peer} does not prove that it knows the secret`)
    }
    const seal = this.#trust.seals ? sealOf(secret, this.#meeting) : null
    return { say: null, end: { hello: this.hello, seal } }
  }

  get #peer(): string {
    return `what answers for ${JSON.stringify(this.hello.to)}`
  }
}

/** Of the one who is dialled. */
export class Reception {
  readonly #self: { readonly mesh: string; readonly id: Id }
  readonly #trust: Trust
  readonly #doors: Doors
  #met: { readonly hello: Hello; readonly meeting: Meeting } | null = null

  constructor(self: { readonly mesh: string; readonly id: Id }, trust: Trust, doors: Doors) {
    this.#self = self
    this.#trust = trust
    this.#doors = doors
  }

  /** Throws BadFrame for what is no hello or no proof. */
  hear(frame: Buffer): Step {
    return this.#met === null ? this.#greeted(frame) : this.#proved(frame, this.#met.hello, this.#met.meeting)
  }

  #greeted(frame: Buffer): Step {
    const hello = readHello(frame)
    if ('reason' in hello) {
      return refused(`it does not speak version ${VERSION} of the protocol`, writeAnswer({ refusal: hello }))
    }
    const complaint = this.#doors.complaint(hello.from)
    const { secret } = this.#trust
    const refusal =
      complaint === null
        ? refusalOf(hello, { ...this.#self, hasSecret: secret !== null }, this.#doors.isPeer(hello.from))
        : ({ reason: 'certificate', instead: complaint.slice(0, 255) } as const)
    if (refusal !== null) return refused(explain(refusal, hello), writeAnswer({ refusal }))
    if (hello.challenge === null) return this.#welcome(hello, writeAnswer(), null)
    const challenge = freshValue()
    this.#met = { hello, meeting: meetingOf(hello, hello.challenge, challenge) }
    return { say: writeAnswer({ challenge }), end: null }
  }

  #proved(frame: Buffer, hello: Hello, meeting: Meeting): Step {
    const secret = this.#trust.secret ?? ''
    if (secret === '' || !proves(readProof(frame), secret, 'dialler', meeting)) {
      const refusal = { reason: 'secret', instead: 'wrong' } as const
      return refused(explain(refusal, hello), writeAnswer({ refusal }))
    }
    const seal = this.#trust.seals ? sealOf(secret, meeting) : null
    return this.#welcome(hello, writeAnswer({ proof: proofOf(secret, 'listener', meeting) }), seal)
  }

  #welcome(hello: Hello, say: Uint8Array, seal: Seal | null): Step {
    if (!this.#doors.hasTwin(hello)) return { say, end: { hello, seal } }
    const refusal = { reason: 'twin', instead: '' } as const
    return refused(explain(refusal, hello), writeAnswer({ refusal }))
  }
}

function meetingOf({ mesh, from, to, life }: Hello, dialler: string, listener: string): Meeting {
  return { version: VERSION, mesh, from, to, life, dialler, listener }
}

function refused(why: string, say: Uint8Array | null = null): Step {
  return { say, end: { refused: why } }
}

/** The handshake of a connection as two state machines, one for each side: frames in, frames and a decision out. */
import type { Id } from '../protocol/record.ts'
import {
  explain,
  type Hello,
  type Introduction,
  type Refusal,
  readAnswer,
  readHello,
  readProof,
  refusalOf,
  type Terms,
  VERSION,
  writeAnswer,
  writeHello,
  writeProof,
} from './handshake.ts'
import type { Seal } from './seal.ts'
import { freshValue, type Meeting, proofOf, proves, sealOf } from './secret.ts'

/** How nodes of a mesh prove who they are, beyond what their sockets prove. */
export interface Trust {
  readonly secret: string | null
  /** Whether frames are sealed. TLS sockets do not need it. */
  readonly seals: boolean
}

/** The seals of the messages after the handshake, one for each side. */
export interface Seals {
  readonly dialler: Seal
  readonly listener: Seal
}

/** What follows from a frame of a handshake. `say` is sent in any case. `end` is null while more frames are expected. */
export interface Step {
  readonly say: Uint8Array | null
  readonly end: Refused | { readonly seals: Seals | null } | null
}

/** Why, in words; and the other side's reason code if it refused. */
export interface Refused {
  readonly refused: string
  readonly reason?: Refusal['reason']
}

/** The side that dials. */
export class Greeting {
  readonly hello: Hello
  readonly #trust: Trust
  #meeting: Meeting | null = null

  constructor(hello: Introduction, trust: Trust) {
    const challenge = trust.secret === null ? null : freshValue()
    this.hello = { channel: 'work', terms: null, thread: null, ...hello, challenge }
    this.#trust = trust
  }

  first(): Uint8Array {
    return writeHello(this.hello)
  }

  /** Throws BadFrame for an invalid answer. */
  hear(frame: Buffer): Step {
    const { refusal, challenge, proof } = readAnswer(frame)
    if (refusal !== null)
      return { say: null, end: { refused: explain(refusal, this.hello), reason: refusal.reason } }
    const { secret } = this.#trust
    if (secret === null || this.hello.challenge === null) {
      // A node that wants a proof refuses a hello without a challenge, so this is not a node of ours.
      if (challenge !== null || proof !== null)
        return refused(`${this.#peer} asks for a proof of the secret, which was not offered`)
      return { say: null, end: { seals: null } }
    }
    if (this.#meeting === null) {
      // A welcome without a challenge would bypass the secret.
      if (challenge === null) return refused(`${this.#peer} does not prove that it knows the secret`)
      this.#meeting = meetingOf(this.hello, this.hello.challenge, challenge)
      return { say: writeProof(proofOf(secret, 'dialler', this.#meeting)), end: null }
    }
    if (proof === null || !proves(proof, secret, 'listener', this.#meeting)) {
      return refused(`${this.#peer} does not prove that it knows the secret`)
    }
    return { say: null, end: { seals: this.#trust.seals ? sealsOf(secret, this.#meeting) : null } }
  }

  get #peer(): string {
    return `the node that answers as ${JSON.stringify(this.hello.to)}`
  }
}

/** What the dialled side knows about nodes that introduce themselves. */
export interface Acquaintance {
  readonly isPeer: (id: Id) => boolean
  /** Whether another process with this name is connected. */
  readonly hasTwin: (hello: Hello) => boolean
  /** What the socket says against a peer of that name, or null. */
  readonly complaint: (id: Id) => string | null
}

interface Self {
  readonly mesh: string
  readonly id: Id
  readonly terms?: Terms | null
}

/** The side that is dialled. */
export class Reception {
  readonly #self: Self
  readonly #trust: Trust
  readonly #knows: Acquaintance
  #hello: Hello | null = null
  #meeting: Meeting | null = null

  constructor(self: Self, trust: Trust, knows: Acquaintance) {
    this.#self = self
    this.#trust = trust
    this.#knows = knows
  }

  /** Who it claims to be. Believe it only after `hear` has ended without a refusal. */
  get hello(): Hello | null {
    return this.#hello
  }

  /** Throws BadFrame for an invalid hello or proof. */
  hear(frame: Buffer): Step {
    if (this.#hello === null || this.#meeting === null) return this.#greeted(frame)
    return this.#proved(frame, this.#hello, this.#meeting)
  }

  #greeted(frame: Buffer): Step {
    const hello = readHello(frame)
    if ('reason' in hello) {
      return refused(`it does not speak version ${VERSION} of the protocol`, writeAnswer({ refusal: hello }))
    }
    this.#hello = hello
    const complaint = this.#knows.complaint(hello.from)
    const { secret } = this.#trust
    const refusal =
      complaint === null
        ? refusalOf(hello, { ...this.#self, hasSecret: secret !== null }, this.#knows.isPeer(hello.from))
        : ({ reason: 'certificate', instead: complaint.slice(0, 255) } as const)
    if (refusal !== null) return refused(explain(refusal, hello), writeAnswer({ refusal }))
    if (hello.challenge === null) return this.#welcomed(hello, null, null)
    const challenge = freshValue()
    this.#meeting = meetingOf(hello, hello.challenge, challenge)
    return { say: writeAnswer({ challenge }), end: null }
  }

  #proved(frame: Buffer, hello: Hello, meeting: Meeting): Step {
    const secret = this.#trust.secret ?? ''
    if (secret === '' || !proves(readProof(frame), secret, 'dialler', meeting)) {
      return turnedAway('secret', 'wrong', hello)
    }
    const seals = this.#trust.seals ? sealsOf(secret, meeting) : null
    return this.#welcomed(hello, proofOf(secret, 'listener', meeting), seals)
  }

  /** Checked only after the proof: an unproved claim is no reason to doubt the connected one. */
  #welcomed(hello: Hello, proof: string | null, seals: Seals | null): Step {
    // Peers may have changed since the hello.
    if (!this.#knows.isPeer(hello.from)) return turnedAway('sender', '', hello)
    const ours = this.#self.terms?.algorithm
    if (hello.terms !== null && ours !== undefined && hello.terms.algorithm !== ours)
      return turnedAway('algorithm', ours, hello)
    if (this.#knows.hasTwin(hello)) return turnedAway('twin', '', hello)
    return { say: writeAnswer({ proof }), end: { seals } }
  }
}

function meetingOf(hello: Hello, dialler: string, listener: string): Meeting {
  const { mesh, from, to, life, channel, terms, thread } = hello
  return { version: VERSION, mesh, from, to, life, channel, terms, thread, dialler, listener }
}

function sealsOf(secret: string, meeting: Meeting): Seals {
  return { dialler: sealOf(secret, 'dialler', meeting), listener: sealOf(secret, 'listener', meeting) }
}

function turnedAway(reason: Refusal['reason'], instead: string, hello: Hello): Step {
  const refusal = { reason, instead }
  return refused(explain(refusal, hello), writeAnswer({ refusal }))
}

function refused(why: string, say: Uint8Array | null = null): Step {
  return { say, end: { refused: why } }
}

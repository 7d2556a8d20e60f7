/**
 * The first frames of a connection. The dialling node says who it is and which node it wants. The other side accepts it or says
 * why not. If the mesh has a secret, both prove it in between (`secret.ts`): hello, challenge, proof, answer. Every version
 * begins each frame with the same mark and a version number, so that any two versions can tell each other that they do not fit.
 */
import { Packr } from 'msgpackr/pack'
import { type Id, LONGEST_LEASE, SHORTEST_LEASE } from '../protocol/record.ts'
import { BadFrame } from './bad-frame.ts'
import { type Check, fields, measure, oneOf, orNull, text, whole } from './checks.ts'
import { PROOF_LENGTH } from './secret.ts'
import { requireWellFormed } from './well-formed.ts'

/** Raised when messages change so that older nodes could not read them. */
export const VERSION = 14

/** The longest hello or answer, in bytes. */
export const LONGEST_HANDSHAKE = 8192

/** The purpose of a connection: messages of a program's thread, or leases, in both directions. */
export type Channel = 'work' | 'lease'

/** Where the lease thread of a node listens: on its own port, at the address of the program. */
export interface Place {
  readonly port: number
  /**
   * The port of the program. A node that reaches it through another port, by a relay or a mapping, could not reach the
   * thread's.
   */
  readonly beside: number
}

/** Settings that nodes of a mesh must share, or should. Each node tells them to the others. */
export interface Terms {
  /** A node with another algorithm is refused: the two could not understand each other. */
  readonly algorithm: string
  /** As in `Settings`: milliseconds, and a fraction. */
  readonly lease: number
  readonly drift: number
  /** The voters when the mesh begins, as text. */
  readonly voters: string
}

export interface Hello {
  /** Two meshes that reach each other by mistake must not mix. */
  readonly mesh: string
  readonly from: Id
  readonly to: Id
  /** A random name of this process. It distinguishes a reconnecting process from another one with the same name. */
  readonly life: string
  readonly channel: Channel
  /** A fresh random value, from a node that has a secret. */
  readonly challenge: string | null
  /** Null from a node that does not tell. */
  readonly terms: Terms | null
  /** Of the dialling node; null if it has no lease thread. */
  readonly thread: Place | null
}

/** A hello with defaults: work, no secret, no terms, no thread. */
export type Introduction = Omit<Hello, 'challenge' | 'channel' | 'terms' | 'thread'> & Partial<Hello>

/** If all are null: welcome, no proof needed. Otherwise exactly one is set. */
export interface Answer {
  readonly refusal: Refusal | null
  /** The dialler must prove it knows the secret before it says more. */
  readonly challenge: string | null
  /** Welcome, and a proof that this is the right node. */
  readonly proof: string | null
}

/** Why a connection is refused, and what the refusing side has instead. */
export interface Refusal {
  readonly reason: (typeof REASONS)[number]
  readonly instead: string
}

/** For `secret`, `instead` is one of `wrong`, `missing` (at the dialler), `none` (here). */
const REASONS = [
  'version',
  'mesh',
  'receiver',
  'sender',
  'twin',
  'secret',
  'certificate',
  'algorithm',
] as const

/** For an algorithm with its settings, and for the names of voters. */
export const LONGEST_TERM = 1024

const MARK = Buffer.from('turnwise')
const packr = new Packr({ useRecords: false })
const name = text(1, 255)

const value = text(PROOF_LENGTH, PROOF_LENGTH)
const port = whole(0, 65_535)

const helloCheck = fields<Hello>({
  mesh: name,
  from: name,
  to: name,
  life: name,
  channel: oneOf('work', 'lease'),
  challenge: orNull(value),
  terms: orNull(
    fields<Terms>({
      algorithm: text(1, LONGEST_TERM),
      lease: measure(SHORTEST_LEASE, LONGEST_LEASE),
      drift: measure(0, 1),
      voters: text(0, LONGEST_TERM),
    }),
  ),
  thread: orNull(fields<Place>({ port, beside: port })),
})
const answerCheck = fields<Answer>({
  refusal: orNull(fields<Refusal>({ reason: oneOf(...REASONS), instead: text(0, LONGEST_TERM) })),
  challenge: orNull(value),
  proof: orNull(value),
})
const proofCheck = fields<{ proof: string }>({ proof: value })

export function writeHello(hello: Introduction, version: number = VERSION): Uint8Array {
  return write({ channel: 'work', challenge: null, terms: null, thread: null, ...hello }, version)
}

/** The hello, or a refusal if it has another version: then nothing more of it can be read. */
export function readHello(frame: Buffer): Hello | Refusal {
  const { version, body } = open(frame)
  if (version !== VERSION) return { reason: 'version', instead: String(VERSION) }
  return read(body, helloCheck)
}

/** Why the node `self` refuses a hello, or null. */
export function refusalOf(
  hello: Hello,
  self: { mesh: string; id: Id; hasSecret: boolean },
  isPeer: boolean,
): Refusal | null {
  if (hello.mesh !== self.mesh) return { reason: 'mesh', instead: self.mesh }
  if (hello.to !== self.id) return { reason: 'receiver', instead: self.id }
  if (!isPeer) return { reason: 'sender', instead: '' }
  if (self.hasSecret && hello.challenge === null) return { reason: 'secret', instead: 'missing' }
  if (!self.hasSecret && hello.challenge !== null) return { reason: 'secret', instead: 'none' }
  return null
}

export function writeAnswer(answer: Partial<Answer> = {}): Uint8Array {
  return write({ refusal: null, challenge: null, proof: null, ...answer }, VERSION)
}

export function readAnswer(frame: Buffer): Answer {
  const { version, body } = open(frame)
  if (version === VERSION) return read(body, answerCheck)
  return { refusal: { reason: 'version', instead: String(version) }, challenge: null, proof: null }
}

export function writeProof(proof: string): Uint8Array {
  return write({ proof }, VERSION)
}

export function readProof(frame: Buffer): string {
  const { version, body } = open(frame)
  if (version !== VERSION) throw new BadFrame(`a proof of version ${version}`)
  return read(body, proofCheck).proof
}

/** One line for the log of either side. */
export function explain({ reason, instead }: Refusal, { mesh, from, to, terms }: Hello): string {
  switch (reason) {
    case 'version':
      return `${shown(to)} speaks version ${shown(instead)} of the protocol, ${shown(from)} speaks ${VERSION}`
    case 'mesh':
      return `${shown(from)} belongs to the mesh ${shown(mesh)}, but the node at the address of ${shown(to)} belongs to ${shown(instead)}`
    case 'receiver':
      return `${shown(from)} dialled ${shown(to)}, but the node at that address is ${shown(instead)}`
    case 'sender':
      return `${shown(to)} has no peer named ${shown(from)}`
    case 'twin':
      return `${shown(to)} hears another process named ${shown(from)}`
    case 'secret':
      if (instead === 'missing') return `${shown(to)} requires a secret, but ${shown(from)} has none`
      if (instead === 'none') return `${shown(from)} has a secret, but ${shown(to)} has none`
      return `${shown(from)} and ${shown(to)} have different secrets`
    case 'certificate':
      return `${shown(to)} rejects the certificate of ${shown(from)}: ${shown(instead)}`
    case 'algorithm':
      return `${shown(from)} uses the algorithm ${shown(terms?.algorithm ?? '')}, but ${shown(to)} uses ${shown(instead)}`
  }
}

/** Text from outside, safe to print. */
function shown(value: string): string {
  return JSON.stringify(value)
}

function write(body: object, version: number): Uint8Array {
  return Buffer.concat([MARK, Buffer.from([version >> 8, version & 0xff]), packr.pack(body)])
}

function open(frame: Buffer): { version: number; body: Buffer } {
  const start = MARK.length + 2
  if (frame.length < start || !frame.subarray(0, MARK.length).equals(MARK)) {
    throw new BadFrame('it does not speak the protocol of turnwise')
  }
  return { version: frame.readUInt16BE(MARK.length), body: frame.subarray(start) }
}

function read<T>(body: Buffer, check: Check<T>): T {
  requireWellFormed(body)
  const value: unknown = packr.unpack(body)
  const complaint = check(value)
  if (complaint !== null) throw new BadFrame(`the handshake is wrong: ${complaint}`)
  return value as T
}

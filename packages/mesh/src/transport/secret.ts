/**
 * How two nodes prove to each other that they know the secret of their mesh, without sending it. Each side gives a fresh random
 * value. A proof is an HMAC-SHA-256 (Krawczyk, Bellare and Canetti 1997, RFC 2104) of both values, both names, the dialling
 * process, its terms, the place of its lease thread, the mesh, the channel, the version, and the side. So a proof fits only one
 * connection, in one direction, between these two nodes. It can neither be replayed nor reflected.
 *
 * The dialling side proves first, so a stranger that dials learns nothing that depends on the secret.
 */
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Id } from '../protocol/record.ts'
import type { Channel, Place, Terms } from './handshake.ts'
import { Seal } from './seal.ts'

/** What both sides of one connection have said so far. */
export interface Meeting {
  readonly version: number
  readonly mesh: string
  readonly from: Id
  readonly to: Id
  /** The life of the dialling process. */
  readonly life: string
  readonly channel: Channel
  /** The settings of the dialling node. */
  readonly terms: Terms | null
  /** Where its lease thread listens. */
  readonly thread: Place | null
  /** The random values of the dialling and the dialled side. */
  readonly dialler: string
  readonly listener: string
}

export type Side = 'dialler' | 'listener'

const BYTES = 32
/** The length of random values and proofs as text. */
export const PROOF_LENGTH = 2 * BYTES

export function freshValue(): string {
  return randomBytes(BYTES).toString('hex')
}

export function proofOf(secret: string, side: Side, meeting: Meeting): string {
  return createHmac('sha256', keyFor(secret, 'proof', meeting))
    .update(side)
    .digest('hex')
}

export function proves(proof: string, secret: string, side: Side, meeting: Meeting): boolean {
  const [given, expected] = [Buffer.from(proof), Buffer.from(proofOf(secret, side, meeting))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The seal of this connection's frames, in one direction. */
export function sealOf(secret: string, speaker: Side, meeting: Meeting): Seal {
  return new Seal(keyFor(secret, `frames of the ${speaker}`, meeting))
}

/** HKDF (Krawczyk 2010, RFC 5869): keys for different uses and connections reveal nothing of each other or of the secret. */
function keyFor(secret: string, use: string, meeting: Meeting): Buffer {
  const { version, mesh, from, to, life, channel, dialler, listener } = meeting
  const told = meeting.terms
  const terms = told && [told.algorithm, told.lease, told.drift, told.voters]
  const thread = meeting.thread && [meeting.thread.port, meeting.thread.beside]
  // As JSON no two connections have the same text, whatever the names are.
  const said = JSON.stringify([
    'turnwise',
    version,
    use,
    mesh,
    from,
    to,
    life,
    channel,
    terms,
    thread,
    dialler,
    listener,
  ])
  const info = createHash('sha256').update(said).digest()
  return Buffer.from(hkdfSync('sha256', secret, 'turnwise', info, BYTES))
}

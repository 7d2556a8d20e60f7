/**
 * What the lease thread does, apart from sockets and clocks: it acknowledges heartbeats as a voter, notes what voters
 * acknowledge to this node, and repeats this node's heartbeat while the program's thread is busy, though not for ever: a
 * member that is blocked blocks everybody's permissions, so after the stall limit the lease runs out (R1, R2, R4;
 * "Pauses and sleep" in docs/mesh-protocol.md).
 */
import type { Message, MessageOf } from '../protocol/messages.ts'
import { debtFor, type Id, sessionKey, type VoterId } from '../protocol/record.ts'
import type { LeaseMemory } from './memory.ts'

/**
 * Where sessions and voters stand in the shared memory, and under which id: nobody speaks for another. A tag tells sessions
 * apart that used one slot in turn.
 */
export interface Slots {
  readonly life: number
  readonly voterId: VoterId
  readonly drift: number
  readonly voters: ReadonlyMap<VoterId, { readonly slot: number; readonly id: Id }>
  readonly sessions: ReadonlyMap<string, { readonly slot: number; readonly tag: number; readonly id: Id }>
}

/**
 * The heartbeat of the program's thread, and how it reaches each peer:
 *  - `thread`: the lease thread sends it.
 *  - `work`: the program sends it on its own connection, beside its work, and the lease thread sends RENEW. If the program is late, the
 *    lease thread sends the heartbeat too.
 *  - `work alone`: the same, but the lease thread never sends more than RENEW.
 */
export interface Said {
  readonly heartbeat: MessageOf<'heartbeat'>
  readonly to: readonly { readonly peer: Id; readonly by: 'thread' | 'work' | 'work alone' }[]
}

export class Keeper {
  readonly #memory: LeaseMemory
  readonly #send: (to: Id, message: Message) => void
  readonly #lease: number
  #slots: Slots | null = null
  #heartbeat: MessageOf<'heartbeat'> | null = null
  #peers: Said['to'][number][] = []
  #lastBeat = Number.NEGATIVE_INFINITY
  /** Whether the program has let its time pass, so that this thread speaks in its place. */
  #isLate = false

  constructor(memory: LeaseMemory, lease: number, send: (to: Id, message: Message) => void) {
    this.#memory = memory
    this.#lease = lease
    this.#send = send
  }

  learn(slots: Slots): void {
    this.#slots = slots
    // A heartbeat of an earlier life is no longer this node's word.
    this.#heartbeat = null
  }

  /** The program's thread speaks for itself: what it says is what is repeated when it cannot. */
  says({ heartbeat, to }: Said, now: number): void {
    const renewal = renewalOf(heartbeat)
    for (const { peer, by } of to) this.#send(peer, by === 'thread' ? heartbeat : renewal)
    if (this.#heartbeat?.at !== heartbeat.at) this.#peers = []
    this.#heartbeat = heartbeat
    this.#peers.push(...to)
    this.#lastBeat = now
    this.#isLate = false
  }

  /** Whether it has been answered. */
  receives(from: Id, message: Message, now: number): boolean {
    if (message.type === 'heartbeat' || message.type === 'renew') return this.#acknowledge(from, message, now)
    if (message.type === 'ack') this.#note(from, message, now)
    return false
  }

  /** This thread can reach the peer from now on. */
  meets(peer: Id, now: number): void {
    const way = this.#peers.find((each) => each.peer === peer)
    // The program sends its heartbeat beside its work. The thread speaks for it only if it is late.
    if (way?.by === 'thread') this.#repeat([way], now)
  }

  /** R2: first what is owed, then whether it is allowed still, then the word. */
  #acknowledge(from: Id, { session, at, lease }: MessageOf<'heartbeat' | 'renew'>, now: number): boolean {
    const slots = this.#slots
    const place = slots?.sessions.get(sessionKey(session))
    if (slots === null || place?.id !== from || lease > this.#memory.longest) return false
    const until = now + debtFor(lease, slots.drift)
    if (!this.#memory.owe(place.slot, place.tag, until)) return false
    this.#send(from, { type: 'ack', session, at, voterId: slots.voterId })
    return true
  }

  /** R4 */
  #note(from: Id, { session, at, voterId }: MessageOf<'ack'>, now: number): void {
    const slots = this.#slots
    const voter = slots?.voters.get(voterId)
    if (slots === null || voter?.id !== from || this.#heartbeat === null || at > now) return
    if (sessionKey(session) !== sessionKey(this.#heartbeat.session)) return
    this.#memory.acknowledged(slots.life, voter.slot, at)
  }

  /** Every tick of the lease thread. */
  tick(now: number): void {
    if (now - this.#lastBeat < (this.#isLate ? PERIOD : LATE) * this.#lease) return
    if (!this.#repeat(this.#peers, now)) return
    this.#lastBeat = now
    this.#isLate = true
  }

  #repeat(peers: Said['to'], now: number): boolean {
    if (this.#heartbeat === null || now - this.#memory.mainAlive > STALL * this.#lease) return false
    const heartbeat = { ...this.#heartbeat, at: now }
    const renewal = renewalOf(heartbeat)
    for (const { peer, by } of peers) this.#send(peer, by === 'work alone' ? renewal : heartbeat)
    return true
  }
}

function renewalOf({ session, at, lease }: MessageOf<'heartbeat'>): MessageOf<'renew'> {
  return { type: 'renew', session, at, lease }
}

/** Of a lease: how often the program speaks, and when it is late. Below suspicion, which is half of one. */
const PERIOD = 0.2
const LATE = 0.3

/** Of a lease; below suspicion, which is half of one. */
const STALL = 0.4

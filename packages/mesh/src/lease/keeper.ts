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

export class Keeper {
  readonly #memory: LeaseMemory
  readonly #send: (to: Id, message: Message) => void
  readonly #lease: number
  #slots: Slots | null = null
  #heartbeat: MessageOf<'heartbeat'> | null = null
  #peers: Id[] = []
  #lastBeat = Number.NEGATIVE_INFINITY

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
  sends(to: Id, message: Message, now: number): void {
    if (message.type !== 'heartbeat') return
    if (this.#heartbeat?.at !== message.at) this.#peers = []
    this.#heartbeat = message
    this.#peers.push(to)
    this.#lastBeat = now
  }

  receives(from: Id, message: Message, now: number): void {
    if (message.type === 'heartbeat') this.#acknowledge(from, message, now)
    else if (message.type === 'ack') this.#note(from, message, now)
  }

  /** R2: first what is owed, then whether it is allowed still, then the word. */
  #acknowledge(from: Id, { session, at, lease }: MessageOf<'heartbeat'>, now: number): void {
    const slots = this.#slots
    const place = slots?.sessions.get(sessionKey(session))
    if (slots === null || place?.id !== from || lease > this.#memory.longest) return
    const until = now + debtFor(lease, slots.drift)
    if (!this.#memory.owe(place.slot, place.tag, until)) return
    this.#send(from, { type: 'ack', session, at, voterId: slots.voterId })
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
    const heartbeat = this.#heartbeat
    if (heartbeat === null || now - this.#lastBeat < this.#lease / 5) return
    if (now - this.#memory.mainAlive > STALL * this.#lease) return
    this.#lastBeat = now
    for (const peer of this.#peers) this.#send(peer, { ...heartbeat, at: now })
  }
}

/** Of a lease; below suspicion, which is half of one. */
const STALL = 0.4

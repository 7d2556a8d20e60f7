/**
 * The lease thread without sockets and clocks. It acknowledges heartbeats as a voter, notes the acks of voters, and repeats this
 * node's heartbeat while the program's thread is busy. It does not do so for ever: a blocked member blocks what others wait for,
 * so after the stall limit its lease runs out (R1, R2, R4; "Pauses and sleep" in docs/mesh-protocol.md).
 */
import type { Message, MessageOf } from '../protocol/messages.ts'
import { debtFor, type Id, sameSession, sessionKey, type VoterId } from '../protocol/record.ts'
import type { LeaseMemory } from './shared-memory.ts'
import type { StampPlace } from './stamp-file.ts'

/**
 * The slots of sessions and voters in the shared memory, each with its id, because no node speaks for another. A tag
 * distinguishes sessions that used the same slot one after the other.
 */
export interface Slots {
  readonly life: number
  readonly voterId: VoterId
  readonly driftFraction: number
  readonly voters: ReadonlyMap<VoterId, { readonly slot: number; readonly id: Id }>
  readonly sessions: ReadonlyMap<string, { readonly slot: number; readonly tag: number; readonly id: Id }>
  /** Where the thread notes that it acknowledges (R19); null without a stamp. */
  readonly stamp: StampPlace | null
}

/**
 * The heartbeat of the program's thread, and how it reaches each peer:
 *  - `thread`: the lease thread sends it.
 *  - `work`: the program sends it on its own connection, with its other messages, and the lease thread sends RENEW. If the program
 *    is late, the lease thread sends the heartbeat too.
 *  - `work alone`: the same, but the lease thread never sends more than RENEW.
 */
export interface Beat {
  readonly heartbeat: MessageOf<'heartbeat'>
  readonly to: readonly { readonly peer: Id; readonly by: By }[]
}

export type By = 'thread' | 'work' | 'work alone'

/** What a lease needs of a heartbeat. */
type Renewal = MessageOf<'heartbeat' | 'renew'>

export class Keeper {
  readonly #memory: LeaseMemory
  readonly #send: (to: Id, message: Message) => void
  readonly #leaseMs: number
  /** Called before an ack leaves; false if it must not (R19). */
  readonly #cover: () => boolean
  #slots: Slots | null = null
  #heartbeat: MessageOf<'heartbeat'> | null = null
  /** How and when the heartbeat last went to each peer. Within a lease it goes to all of them. */
  readonly #ways = new Map<Id, { readonly by: By; readonly at: number }>()
  /** When this thread last sent a heartbeat to each peer. */
  readonly #told = new Map<Id, number>()
  #lastBeat = Number.NEGATIVE_INFINITY
  /** When this thread last spoke for the program, or found that it may not. */
  #lastTick = Number.NEGATIVE_INFINITY
  /** Whether the program is late, so that this thread speaks for it. */
  #isLate = false

  constructor(
    memory: LeaseMemory,
    leaseMs: number,
    send: (to: Id, message: Message) => void,
    cover: () => boolean = () => true,
  ) {
    this.#memory = memory
    this.#leaseMs = leaseMs
    this.#send = send
    this.#cover = cover
  }

  learn(slots: Slots): void {
    this.#slots = slots
    // A heartbeat of an earlier life does not speak for this session.
    this.#heartbeat = null
    this.#ways.clear()
  }

  /** Milliseconds until this thread speaks for the program, if the program does not speak before. */
  dueIn(now: number): number {
    return Math.max(0, Math.max(this.#lastBeat, this.#lastTick) + this.#patience - now)
  }

  get #patience(): number {
    return (this.#isLate ? PERIOD : this.#limits.late) * this.#leaseMs
  }

  /** As shares of a lease. A node that does not vote speaks less often while it rests (R1). */
  get #limits(): { readonly late: number; readonly stall: number } {
    const slots = this.#slots
    return slots === null || slots.voters.has(slots.voterId) ? OF_VOTER : OF_OTHER
  }

  /** The program's thread sends a heartbeat. This thread repeats it if the program is late. */
  says({ heartbeat, to }: Beat, now: number): void {
    const renewal = renewalOf(heartbeat)
    const isNews = this.#heartbeat === null || !saysTheSame(this.#heartbeat, heartbeat)
    this.#heartbeat = heartbeat
    for (const { peer, by } of to) {
      this.#ways.set(peer, { by, at: now })
      if (by !== 'thread') this.#send(peer, renewal)
      // The peer heard the same a moment ago, with an ack: of two voters one speaks and the other answers.
      else if (isNews || now - this.#toldAt(peer) >= SOON * this.#leaseMs) this.#tell(peer, heartbeat, now)
    }
    this.#lastBeat = now
    this.#isLate = false
  }

  /** Whether this thread sent a heartbeat to the peer just now. */
  hasTold(peer: Id, now: number): boolean {
    return now - this.#toldAt(peer) < AGAIN * this.#leaseMs
  }

  #toldAt(peer: Id): number {
    return this.#told.get(peer) ?? Number.NEGATIVE_INFINITY
  }

  #tell(peer: Id, heartbeat: MessageOf<'heartbeat'>, now: number): void {
    this.#told.set(peer, now)
    this.#send(peer, heartbeat)
  }

  /** Returns whether it has answered. */
  receives(from: Id, message: Message, now: number): boolean {
    if (message.type === 'heartbeat' || message.type === 'renew') return this.#acknowledge(from, message, now)
    if (message.type === 'ack') this.#note(from, message, now)
    return false
  }

  /** This thread can reach the peer from now on. */
  meets(peer: Id, now: number): void {
    // Otherwise the program sends its heartbeat itself, and this thread speaks for it only if it is late.
    if (this.#ways.get(peer)?.by === 'thread') this.#repeat([peer], now)
  }

  #acknowledge(from: Id, beat: Renewal, now: number): boolean {
    const slots = this.#slots
    if (slots === null || !this.#owes(slots, from, beat, now)) return false
    this.#send(from, { type: 'ack', session: beat.session, at: beat.at, voterId: slots.voterId })
    const way = this.#ways.get(from)
    const isByWork = way !== undefined && way.by !== 'thread' && now - way.at < this.#leaseMs
    if (!isByWork && !this.hasTold(from, now)) this.#repeat([from], now)
    return true
  }

  /** The voter of this node acknowledges it, too: what the program says to itself waits while it is busy. */
  #acknowledgeSelf(beat: Renewal, now: number): void {
    const slots = this.#slots
    const self = slots?.voters.get(slots.voterId)
    if (slots === null || self === undefined || !this.#owes(slots, self.id, beat, now)) return
    this.#memory.acknowledged(slots.life, self.slot, beat.at)
  }

  /** R2: first write the debt, then check that it is still allowed. Only then may the ack count. */
  #owes(slots: Slots, from: Id, { session, lease: leaseMs }: Renewal, now: number): boolean {
    const place = slots.sessions.get(sessionKey(session))
    if (place?.id !== from || leaseMs > this.#memory.longest) return false
    const until = now + debtFor(leaseMs, slots.driftFraction)
    return this.#memory.owe(place.slot, place.tag, until) && this.#cover()
  }

  /** R4 */
  #note(from: Id, { session, at, voterId }: MessageOf<'ack'>, now: number): void {
    const slots = this.#slots
    const voter = slots?.voters.get(voterId)
    if (slots === null || voter?.id !== from || this.#heartbeat === null || at > now) return
    if (sessionKey(session) !== sessionKey(this.#heartbeat.session)) return
    this.#memory.acknowledged(slots.life, voter.slot, at)
  }

  /** Speaks for the program if it is late. */
  tick(now: number): void {
    if (now - this.#lastBeat < this.#patience) return
    this.#lastTick = now
    const ways = [...this.#ways].filter(([, { at }]) => now - at < this.#leaseMs)
    const peers = ways.map(([peer]) => peer)
    if (peers.length === 0 || !this.#repeat(peers, now)) return
    for (const [peer, { by }] of ways) this.#ways.set(peer, { by, at: now })
    this.#lastBeat = now
    this.#isLate = true
  }

  #repeat(peers: readonly Id[], now: number): boolean {
    const { mainAlive, isWorking } = this.#memory
    const stall = isWorking ? STALL_AT_WORK : this.#limits.stall
    if (this.#heartbeat === null || now - mainAlive > stall * this.#leaseMs) return false
    const heartbeat = { ...this.#heartbeat, at: now }
    this.#acknowledgeSelf(heartbeat, now)
    const renewal = renewalOf(heartbeat)
    for (const peer of peers) {
      if (this.#ways.get(peer)?.by === 'work alone') this.#send(peer, renewal)
      else this.#tell(peer, heartbeat, now)
    }
    return true
  }
}

/** Whether they are equal except for their time. */
export function saysTheSame(one: MessageOf<'heartbeat'>, other: MessageOf<'heartbeat'>): boolean {
  return (
    one.begun === other.begun &&
    one.accepted === other.accepted &&
    one.promised === other.promised &&
    one.lease === other.lease &&
    one.mark === other.mark &&
    sameSession(one.session, other.session) &&
    sameIds(one.suspects, other.suspects) &&
    sameIds(one.wish, other.wish)
  )
}

function sameIds(some: readonly Id[] | null, others: readonly Id[] | null): boolean {
  if (some === null || others === null) return some === others
  return some.length === others.length && some.every((id, i) => id === others[i])
}

function renewalOf({ session, at, lease: leaseMs }: MessageOf<'heartbeat'>): MessageOf<'renew'> {
  return { type: 'renew', session, at, lease: leaseMs }
}

/**
 * As shares of a lease: when the program is late, and how long it may be blocked while this thread speaks for it. Both are below
 * the time after which others suspect it (R1). That is half of a lease among voters, and three quarters with a node that does not
 * vote. The program of such a node speaks after half a lease while it rests.
 */
const OF_VOTER = { late: 0.35, stall: 0.4 }
const OF_OTHER = { late: 0.6, stall: 0.7 }
/** The node's own work ends, unlike that of a program. A change of view with very many holds takes seconds on a busy machine. */
const STALL_AT_WORK = 10

/** As a share of a lease: how often this thread speaks while the program is late. */
const PERIOD = 0.2
/**
 * As shares of a lease. AGAIN: after this time a heartbeat goes with an ack. SOON: within this time of it, the program's own
 * heartbeat is left out.
 */
const AGAIN = 0.1
const SOON = 0.23

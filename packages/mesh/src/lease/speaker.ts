/**
 * What speaks about leases for one node: its connections, and the keeper that decides what they say. It is the same in the lease
 * thread and in the program's own thread, where it runs until there is a lease thread.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Security } from '../security/security.ts'
import type { Place, Terms } from '../transport/handshake.ts'
import type { Address, Sockets } from '../transport/sockets.ts'
import { wiringOf } from '../transport/wiring.ts'
import { monotonic } from './clock.ts'
import { type Beat, Keeper, type Slots } from './keeper.ts'
import { LeaseLines } from './lease-lines.ts'
import type { Heard, News } from './news.ts'
import { LeaseMemory } from './shared-memory.ts'
import { recordOfThread, type StampRecord } from './stamp-file.ts'

export interface SpeakerData {
  readonly id: Id
  readonly mesh: string
  /** The same as for the program's own connections, because it is one process. */
  readonly life: string
  /** Where the program listens. */
  readonly listen: Address
  readonly peers: ReadonlyMap<Id, Address>
  readonly security: Security
  readonly terms: Terms
  readonly leaseMs: number
  readonly buffer: SharedArrayBuffer
  /** Whether it keeps the process alive. */
  readonly keepAlive: boolean
}

/** What the program tells it. */
export type ToSpeaker =
  | ({ readonly kind: 'beat' } & Beat)
  /** The answer of the program to one peer. */
  | { readonly kind: 'answer'; readonly to: Id; readonly message: Message }
  | { readonly kind: 'slots'; readonly slots: Slots }
  /** Where a peer's own speaker listens. */
  | { readonly kind: 'thread'; readonly peer: Id; readonly place: Place | null }
  | { readonly kind: 'peers'; readonly peers: ReadonlyMap<Id, Address> }
  | { readonly kind: 'reset'; readonly peer: Id }

/** What it tells the program. */
export type FromSpeaker =
  /** Messages of peers, in order, and whether they are answered. */
  | { readonly kind: 'heard'; readonly messages: readonly Heard[] }
  /** Whether there is a connection to the peer. */
  | { readonly kind: 'turned'; readonly peer: Id; readonly isOpen: boolean }

/** Passes messages on. */
type Passing = Pick<News, 'add' | 'soon' | 'forget'>

export class Speaker {
  readonly #data: SpeakerData
  readonly #keeper: Keeper
  readonly #lines: LeaseLines
  readonly #news: Passing
  readonly #after: (milliseconds: number, action: () => void) => () => void
  #stamp: StampRecord | null = null
  #cancel = () => {}
  #isClosed = false

  constructor(data: SpeakerData, sockets: Sockets, tell: (message: FromSpeaker) => void, news: Passing) {
    const { id, mesh, life, security, terms, leaseMs, keepAlive } = data
    this.#data = data
    this.#news = news
    // It logs no unreachable or refused peers: the program's own connections to the same peers do.
    const wiring = wiringOf({ id, mesh, life, security, terms, sockets, keepAlive }, 'lease')
    this.#after = (milliseconds, action) => wiring.timers.after(milliseconds, action)
    this.#lines = new LeaseLines(wiring, leaseMs, {
      heard: (from, message, isSpeaker) => this.#hear(from, message, isSpeaker),
      turned: (peer, isOpen) => {
        tell({ kind: 'turned', peer, isOpen })
        if (isOpen) this.#keeper.meets(peer, monotonic())
        else setImmediate(this.#pace)
      },
    })
    this.#keeper = new Keeper(
      new LeaseMemory(data.buffer),
      leaseMs,
      (to, message) => this.#lines.send(to, message),
      () => this.#stamp?.cover() ?? true,
    )
    this.#lines.setPeers(data.peers)
  }

  /** Returns where: at this port if it is free, else at any other. */
  async listen(port: number): Promise<number> {
    const { host } = this.#data.listen
    this.#pace()
    if (port === 0) return this.#lines.listen(host, port)
    return this.#lines.listen(host, port).catch(() => this.#lines.listen(host, 0))
  }

  told(message: ToSpeaker): void {
    if (message.kind === 'beat') this.#news.soon()
    if (message.kind === 'slots') {
      this.#news.forget()
      // One record for the whole life: what it says never goes back.
      if (message.slots.stamp !== null) this.#stamp ??= recordOfThread(message.slots.stamp)
    }
    this.#obey(message)
    this.#pace()
  }

  /** It stops listening at once, and says nothing more. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    return this.#lines.close()
  }

  #obey(message: ToSpeaker): void {
    switch (message.kind) {
      case 'beat':
        return this.#keeper.says(message, monotonic())
      case 'answer':
        return this.#lines.send(message.to, message.message)
      case 'thread':
        return this.#lines.learn(message.peer, message.place)
      case 'slots':
        return this.#keeper.learn(message.slots)
      case 'peers':
        return this.#lines.setPeers(message.peers)
      case 'reset':
        return this.#lines.reset(message.peer, monotonic())
    }
  }

  #hear(from: Id, message: Message, isSpeaker: boolean): void {
    if (this.#isClosed) return
    const now = monotonic()
    const isAnswered = this.#keeper.receives(from, message, now)
    // Programs speak to each other on their own connections. If those are cut, nothing that comes here must hide it (R8).
    if (!isSpeaker || message.type === 'renew') return
    this.#news.add({ from, message, isAnswered, isTold: isAnswered && this.#keeper.hasTold(from, now) }, now)
  }

  /** Wakes when the program would be late, or sooner while a connection must be made. */
  readonly #pace = (): void => {
    this.#cancel()
    if (this.#isClosed) return
    const now = monotonic()
    const isSoon = this.#lines.tick(now)
    const left = this.#keeper.dueIn(now)
    this.#cancel = this.#after(isSoon ? Math.min(left, this.#data.leaseMs / 20) : left, () => {
      this.#keeper.tick(monotonic())
      this.#pace()
    })
  }
}

/** In the program's own thread, nobody has to be woken for a message. */
export function passedAtOnce(hand: (messages: readonly Heard[]) => void): Passing {
  return { add: (heard) => hand([heard]), soon: () => {}, forget: () => {} }
}

/**
 * What the lease thread passes on to its program. Each time wakes the program, so messages of one turn of the event loop go
 * together. A message that says nothing new waits until the program has sent its heartbeat. Then the program is awake anyway, and
 * the answers to it have come.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import { saysTheSame } from './keeper.ts'

export interface Heard {
  readonly from: Id
  readonly message: Message
  /** Whether the thread has acknowledged it. */
  readonly isAnswered: boolean
  /** Whether it has sent this node's heartbeat with the ack. */
  readonly isTold: boolean
}

export class News {
  readonly #leaseMs: number
  readonly #hand: (messages: readonly Heard[]) => void
  /** In the order in which they came. */
  #messages: Heard[] = []
  #isDue = false
  #timer: NodeJS.Timeout | undefined
  #isSoon = false
  readonly #heartbeats = new Map<Id, Extract<Message, { type: 'heartbeat' }>>()
  /** When each voter last acknowledged something. */
  readonly #acks = new Map<Id, number>()

  constructor(leaseMs: number, hand: (messages: readonly Heard[]) => void) {
    this.#leaseMs = leaseMs
    this.#hand = hand
  }

  add(heard: Heard, now: number): void {
    this.#messages.push(heard)
    const isNew = this.#isNew(heard, now)
    if (this.#isDue) return
    if (!isNew) return void (this.#timer ??= setTimeout(this.#leave, LONGEST * this.#leaseMs))
    this.#isDue = true
    setImmediate(this.#leave)
  }

  /** The program has sent its heartbeat. The answers to it go to the program together. */
  soon(): void {
    if (this.#isSoon) return
    this.#isSoon = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#leave, PATIENCE * this.#leaseMs)
  }

  /** The view has changed, so earlier messages do not count as known. */
  forget(): void {
    this.#heartbeats.clear()
    this.#acks.clear()
  }

  /**
   * An ack is new if that voter had not acknowledged anything for long. Only such an ack can bring back a lease that has run
   * out (R4), for which callers may wait (R5). If the thread could not acknowledge a heartbeat, the program must answer it.
   */
  #isNew({ from, message, isAnswered }: Heard, now: number): boolean {
    if (message.type === 'ack') {
      const before = this.#acks.get(from) ?? Number.NEGATIVE_INFINITY
      this.#acks.set(from, now)
      return now - before >= STEADY * this.#leaseMs
    }
    if (message.type !== 'heartbeat') return true
    const before = this.#heartbeats.get(from)
    this.#heartbeats.set(from, message)
    return !isAnswered || before === undefined || !saysTheSame(before, message)
  }

  readonly #leave = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDue = false
    this.#isSoon = false
    if (this.#messages.length === 0) return
    const messages = this.#messages
    this.#messages = []
    this.#hand(messages)
  }
}

/** As shares of a lease: how long a message may wait here. */
const PATIENCE = 0.05
const LONGEST = 0.2
const STEADY = 0.75

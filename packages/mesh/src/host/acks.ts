/**
 * Holds back acks of links, so that they travel with the next message to the same peer (R17). An ack that travels alone would
 * wake a process for nothing else. Acks are cumulative and may be lost, so only the last one counts. A sender that waits longer
 * repeats on its tick.
 */
import { LINK_LIMIT } from '../protocol/links.ts'
import type { Message, MessageOf } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'

/** The ack that is held back for one peer. */
interface Due {
  ack: MessageOf<'link-ack'> | null
  /** How many messages it acknowledges. */
  messages: number
  /** Whether the timer has already run out once since it was held back. */
  isOld: boolean
}

/**
 * After so many messages an ack leaves by itself: on a ring, no message goes the other way. It must leave well before the link is
 * full (R18), because a node whose link is full requests nothing until an ack comes.
 */
const MANY = LINK_LIMIT / 4

export class Acks {
  readonly #due = new Map<Id, Due>()
  readonly #patienceMs: number
  readonly #send: (to: Id, message: Message) => void
  #timer: NodeJS.Timeout | null = null

  /** `patience`: an ack is held for at least so many milliseconds, and at most for twice as many. */
  constructor(patienceMs: number, send: (to: Id, message: Message) => void) {
    this.#patienceMs = patienceMs
    this.#send = send
  }

  hold(to: Id, ack: MessageOf<'link-ack'>): void {
    let due = this.#due.get(to)
    if (due === undefined) {
      due = { ack: null, messages: 0, isOld: false }
      this.#due.set(to, due)
    }
    due.ack = ack
    due.messages += 1
    if (due.messages >= MANY) this.#leave(to, due)
    else this.#timer ??= setTimeout(this.#ranOut, this.#patienceMs).unref()
  }

  /** The message, together with the ack for its receiver. */
  onto(to: Id, message: MessageOf<'link'>): MessageOf<'link'> {
    const due = this.#due.get(to)
    const ack = due?.ack ?? null
    if (due === undefined || ack === null || ack.epoch !== message.epoch) return message
    settle(due)
    const { type, epoch, seq, payload } = message
    return { type, epoch, seq, payload, upTo: ack.upTo }
  }

  readonly #ranOut = (): void => {
    this.#timer = null
    for (const [to, due] of this.#due) {
      if (due.isOld) this.#leave(to, due)
      if (due.ack === null) continue
      due.isOld = true
      this.#timer ??= setTimeout(this.#ranOut, this.#patienceMs).unref()
    }
  }

  #leave(to: Id, due: Due): void {
    if (due.ack !== null) this.#send(to, due.ack)
    settle(due)
  }

  /** Sends the ack for this peer at once, because the peer waits for it. */
  leave(to: Id): void {
    const due = this.#due.get(to)
    if (due !== undefined) this.#leave(to, due)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#due.clear()
  }
}

function settle(due: Due): void {
  due.ack = null
  due.messages = 0
  due.isOld = false
}

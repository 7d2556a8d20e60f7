/**
 * Acks of links, held back for a moment so that they ride on the next message that goes the other way (R17). They are
 * cumulative and may be lost, so only the last counts and none is missed; a sender that waits longer repeats on its tick.
 */
import type { Message, MessageOf } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'

export class Acks {
  readonly #held = new Map<Id, MessageOf<'link-ack'>>()
  readonly #patience: number
  readonly #send: (to: Id, message: Message) => void
  #timer: NodeJS.Timeout | null = null

  /** `patience`: for so many milliseconds at the longest. */
  constructor(patience: number, send: (to: Id, message: Message) => void) {
    this.#patience = patience
    this.#send = send
  }

  hold(to: Id, ack: MessageOf<'link-ack'>): void {
    this.#held.set(to, ack)
    this.#timer ??= setTimeout(() => this.#flush(), this.#patience).unref()
  }

  /** The message, with what is due to its receiver. */
  onto(to: Id, message: MessageOf<'link'>): MessageOf<'link'> {
    const ack = this.#held.get(to)
    if (ack === undefined || ack.epoch !== message.epoch) return message
    this.#held.delete(to)
    const { type, epoch, seq, payload } = message
    return { type, epoch, seq, payload, upTo: ack.upTo }
  }

  #flush(): void {
    this.#timer = null
    for (const [to, ack] of this.#held) this.#send(to, ack)
    this.#held.clear()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#held.clear()
  }
}

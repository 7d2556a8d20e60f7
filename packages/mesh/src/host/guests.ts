/**
 * Which sessions are heard at a register. A session of this mesh is a member of the view, or has a row in this register. Others may
 * know the secret and the addresses all the same: they meet at a copy of the register, such as a database that was restored elsewhere.
 * Their leases are kept there, and nobody here would see them end. So their messages are lost, which the protocol tolerates.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'

type Receive = (from: Id, message: Message) => void

export interface GuestsOptions {
  readonly isMember: (session: Id) => boolean
  /** Asks the register. Rejects if it does not answer. */
  readonly hasRow: (session: Id) => Promise<boolean>
  readonly receive: Receive
  /** Milliseconds after which a stranger is looked up again. */
  readonly patience: number
}

/** Of one session, while its row is read. A newcomer sends two or three. */
const MOST_HELD_BACK = 64
/** Above it, sessions that left are forgotten with the others, and looked up again if need be. */
const MOST_KNOWN = 4096

export class Guests {
  readonly #options: GuestsOptions
  readonly #known = new Set<Id>()
  /** What is held back of sessions whose row is being read; null for strangers. */
  readonly #unknown = new Map<Id, Message[] | null>()

  constructor(options: GuestsOptions) {
    this.#options = options
  }

  readonly receive: Receive = (from, message) => {
    if (this.#known.has(from)) return this.#options.receive(from, message)
    const heldBack = this.#unknown.get(from)
    if (heldBack === null) return
    if (heldBack !== undefined) {
      if (heldBack.length < MOST_HELD_BACK) heldBack.push(message)
    } else if (this.#options.isMember(from)) {
      this.#admit(from)
      this.#options.receive(from, message)
    } else if (this.#unknown.size < MOST_KNOWN) {
      this.#unknown.set(from, [message])
      void this.#lookUp(from)
    }
  }

  async #lookUp(session: Id): Promise<void> {
    const { hasRow, patience, receive } = this.#options
    const found = await hasRow(session).catch(() => null)
    const heldBack = this.#unknown.get(session) ?? []
    this.#unknown.delete(session)
    if (found === true) {
      this.#admit(session)
      for (const message of heldBack) receive(session, message)
    } else if (found === false) {
      this.#unknown.set(session, null)
      setTimeout(() => this.#unknown.delete(session), patience).unref()
    }
  }

  #admit(session: Id): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.add(session)
  }
}

/**
 * What one client of a daemon holds and waits for, at the daemon's side. Rules C1 to C6 of docs/daemon.md: the client relies on
 * what it was promised. So the daemon releases nothing before that promise is over, unless the client releases it or has ended.
 */
import { get } from '@turnwise/core/bounds'
import { monotonic } from '../lease/clock.ts'
import { invalidState, LockLostError, lockTimedOut, quotaExceeded } from '../locks/errors.ts'
import { type Held, heldFence, whenLost } from '../locks/held.ts'
import { holdersAt } from '../locks/holders.ts'
import type { Wish } from '../locks/options.ts'
import type { MeshNode } from '../mesh.ts'
import type { Details } from '../observe/logger.ts'
import type { Finding } from '../protocol/runs.ts'
import { type Answer, type Question, ticketsOf } from './control-messages.ts'
import { Jobs } from './jobs.ts'
import { refusalOf } from './refusals.ts'
import { nameIn, orAborted, requestAll } from './wanted.ts'

/** What the locks of a client need of its daemon. */
export interface Keeping {
  readonly id: string
  readonly leaseMs: number
  /** ρ: how far the clocks of daemon and client may differ in rate. */
  readonly driftFraction: number
  readonly isEnding: boolean
  /** Null until the daemon has joined. */
  readonly mesh: MeshNode | null
  readonly joined: Promise<MeshNode>
  readonly log: { warn(event: string, details?: Details): void }
  /** Counts a lock that is held for a client, until the returned function is called. */
  holds(): () => void
}

/** How many locks one client may hold and await together. */
export const MOST_TICKETS = 10_000

/** C6, as a share of a lease. */
const GRACE = 0.5

/** C10: milliseconds for a client to answer an echo. */
const ECHO_WITHIN = 2000

/** How many clients there were. The number distinguishes their holders. */
let clients = 0

/** A request for one lock, several, or that of a job. */
type Asked = Extract<Question, { kind: 'acquire' | 'acquire-all' | 'acquire-job' }>

interface Wait {
  readonly ends: AbortController
  /** One for each lock that it is for. */
  readonly tickets: readonly number[]
}

interface Kept {
  readonly held: Held
  upgrade: AbortController | null
  readonly over: () => void
}

export class Holdings {
  readonly #keeping: Keeping
  readonly #say: (answer: Answer) => void
  /** By each of its tickets. */
  readonly #waits = new Map<number, Wait>()
  readonly #kept = new Map<number, Kept>()
  readonly #jobs = new Jobs()
  /** The last question that was read. */
  #heard = 0
  readonly #client: number
  /** C3: until when the client may rely on its holds, on this clock. */
  #until = Number.NEGATIVE_INFINITY
  #watch: NodeJS.Timeout | undefined
  #isGone = false
  readonly #isFar: boolean
  /** C10: those without an answer. */
  readonly #echoes = new Map<number, (isSure: boolean) => void>()
  #lastEcho = 0
  /** Ends that members' questions are echoed to this client; null while it names no holder. */
  #unheed: (() => void) | null = null
  /** C6: a command of the client runs under the lock, even if the client itself has ended. */
  lingers = false
  /** An error as the client may read it. */
  refusal: typeof refusalOf = refusalOf

  constructor(keeping: Keeping, say: (answer: Answer) => void, isFar: boolean) {
    this.#keeping = keeping
    this.#isFar = isFar
    this.#say = say
    clients += 1
    this.#client = clients
  }

  /** How many locks are held for this client. */
  get holding(): number {
    return this.#kept.size
  }

  heard(ticket: number): void {
    this.#heard = ticket
  }

  acquire(question: Asked): void {
    const { ticket } = question
    const tickets = ticketsOf(ticket, 'parts' in question ? question.parts.length : 1)
    const reason = this.#whyNot(tickets, question)
    if (reason !== null) return this.#say({ kind: 'refused', ticket, ...this.refusal(reason) })
    const wait = { ends: new AbortController(), tickets }
    for (const each of tickets) this.#waits.set(each, wait)
    this.#obtain({ ...question, holders: holdersAt(this.#client, question.holders) }, wait.ends.signal)
      .then((all) => this.#settled(tickets, all))
      .catch((error: unknown) => {
        if (this.#endWait(ticket)) this.#say({ kind: 'refused', ticket, ...this.refusal(error) })
      })
  }

  /** Whether this wish, which the mesh knows, is the request of the ticket. */
  isOf(ticket: number, { signal }: Wish): boolean {
    return signal !== undefined && this.#waits.get(ticket)?.ends.signal === signal
  }

  #endWait(ticket: number): boolean {
    const { tickets = [] } = this.#waits.get(ticket) ?? {}
    for (const each of tickets) this.#waits.delete(each)
    return tickets.length > 0
  }

  #whyNot(tickets: readonly number[], question: Asked): Error | null {
    if (tickets.length === 0) return new TypeError('expected at least one name, got an empty list')
    const used = tickets.find((each) => this.#waits.has(each) || this.#kept.has(each))
    if (used !== undefined) return new TypeError(`ticket ${used} is in use`)
    if (tickets.some((each) => each < 0))
      return new TypeError(`ticket ${question.ticket} is too low for ${tickets.length} locks`)
    if (
      question.kind === 'acquire-all' &&
      new Set(question.parts.map(({ name }) => name)).size < tickets.length
    )
      return new TypeError('a name is given twice')
    if (this.#keeping.isEnding) return leaving(this.#keeping.id)
    if (this.#waits.size + this.#kept.size + tickets.length <= MOST_TICKETS) return null
    return quotaExceeded(
      `cannot request "${nameIn(question).slice(0, 40)}": this client holds and awaits ${MOST_TICKETS} locks, which is the limit`,
    )
  }

  /** The mesh hears questions in the order in which they came, so nothing is awaited before. */
  #obtain(question: Asked, signal: AbortSignal): Promise<readonly Held[] | null> {
    const { mesh, joined } = this.#keeping
    if (mesh !== null) return this.#ask(mesh, question, signal)
    return withinTime(question, signal, async (ends) => {
      const node = await joined
      ends.throwIfAborted()
      return this.#ask(node, { ...question, timeout: null }, ends)
    })
  }

  #ask(mesh: MeshNode, question: Asked, signal: AbortSignal): Promise<readonly Held[] | null> {
    if (question.holders.length > 0)
      this.#unheed ??= mesh.echoes.heed({ number: this.#client, echo: () => this.echo() })
    return orAborted(requestAll(mesh, question, signal), signal, releaseAll)
  }

  #settled(tickets: readonly number[], all: readonly Held[] | null): void {
    const ticket = tickets.at(-1) as number
    if (!this.#endWait(ticket)) return releaseAll(all)
    if (all === null)
      return this.#say({ kind: 'refused', ticket, why: 'taken', message: 'it is held or awaited' })
    if (this.#keeping.isEnding) {
      releaseAll(all)
      return this.#say({ kind: 'refused', ticket, ...this.refusal(leaving(this.#keeping.id)) })
    }
    for (const [i, held] of all.entries())
      this.#kept.set(get(tickets, i), { held, upgrade: null, over: this.#keeping.holds() })
    // Sent after the grant, even if a lock is already lost.
    const left = this.#promise()
    this.#say({ kind: 'granted', ticket, fences: all.map(heldFence), left, heard: this.#heard })
    for (const [i, held] of all.entries()) whenLost(held, (loss) => this.#lost(get(tickets, i), loss))
  }

  #lost(hold: number, loss: Error): void {
    this.#drop(hold)
    this.#say({ kind: 'lost', hold, ...this.refusal(loss) })
  }

  /** C1: what is left of the node's lease, minus what the client's clock may be slower. */
  #promise(): number {
    const left = this.#kept.size === 0 ? 0 : (this.#keeping.mesh?.promise() ?? 0)
    this.#until = Math.max(this.#until, monotonic() + left)
    if (this.#kept.size > 0) this.#look()
    const { driftFraction } = this.#keeping
    return (left * (1 - driftFraction)) / (1 + driftFraction)
  }

  /** `echo`: the client had read this one. */
  beat(echo: number | null): number {
    if (echo !== null) this.#echoes.get(echo)?.(true)
    return this.#promise()
  }

  /** C10. True if everything that the client had sent before it read the echo has been read here, or it has gone. */
  echo(): Promise<boolean> {
    if (this.#isGone) return Promise.resolve(true)
    this.#lastEcho += 1
    const number = this.#lastEcho
    return new Promise((resolve) => {
      const end = (isSure: boolean) => {
        clearTimeout(timer)
        this.#echoes.delete(number)
        resolve(isSure)
      }
      const timer = setTimeout(() => end(false), ECHO_WITHIN)
      timer.unref()
      this.#echoes.set(number, end)
      this.#say({ kind: 'echo', number })
    })
  }

  /** C3: checks again when the promise is over. By then another beat may have come. */
  #look(): void {
    if (this.#watch !== undefined || (this.lingers && !this.#isFar)) return
    const grace = this.lingers ? GRACE * this.#keeping.leaseMs : 0
    this.#watch = setTimeout(
      () => {
        // Input that came while this daemon was stopped is read first.
        setImmediate(() => {
          this.#watch = undefined
          if (this.#kept.size === 0) return
          if (monotonic() >= this.#until + grace) this.#takeBack()
          else this.#look()
        })
      },
      this.#until + grace - monotonic() + 1,
    )
    this.#watch.unref()
  }

  /** The client has been silent for a lease. */
  #takeBack(): void {
    if (!this.#isGone) this.#keeping.log.warn('a client was silent for a lease', { holding: this.#kept.size })
    for (const [ticket, { held }] of this.#kept) {
      this.#release(ticket)
      const message = `"${held.name}" is lost: the client did not answer for a lease`
      this.#say({ kind: 'lost', hold: ticket, why: 'lost', message })
    }
  }

  /** C8. False if there was nothing to change. */
  change({ kind, hold, ticket }: Extract<Question, { kind: 'downgrade' | 'upgrade' | 'desist' }>): boolean {
    const kept = this.#kept.get(hold)
    if (kept?.held.isHeld !== true) return false
    if (kept.upgrade !== null) kept.upgrade.abort(new Error('given up'))
    kept.upgrade = null
    if (kind === 'downgrade') kept.held.downgrade()
    if (kind === 'upgrade') void this.#upgrade(hold, kept, ticket)
    return true
  }

  async #upgrade(hold: number, kept: Kept, ticket: number): Promise<void> {
    const upgrade = new AbortController()
    kept.upgrade = upgrade
    try {
      await kept.held.upgrade({ signal: upgrade.signal })
      this.#say({ kind: 'upgraded', hold, fence: heldFence(kept.held) })
    } catch (error) {
      // If not, the client has given up, or hears of the loss.
      if (kept.upgrade !== upgrade || !kept.held.isHeld) return
      kept.upgrade = null
      this.#say({ kind: 'not-upgraded', hold, upgrade: ticket, ...this.refusal(error) })
    }
  }

  async lookUp(question: Extract<Question, { kind: 'look-up' }>): Promise<Finding> {
    return this.#jobs.lookUp(await this.#keeping.joined, this.#held(question.hold), question)
  }

  async note(question: Extract<Question, { kind: 'note' | 'confirm' }>): Promise<void> {
    const held = this.#held(question.hold)
    if (question.kind === 'confirm') await this.#jobs.confirm(held)
    else await this.#jobs.note(this.#keeping.id, held, question)
  }

  #held(hold: number): Held {
    const kept = this.#kept.get(hold)
    if (kept === undefined) throw new LockLostError(`nothing is held under ticket ${hold}`)
    return kept.held
  }

  /** Also ends a wait. False if there was nothing to release. */
  release(ticket: number): boolean {
    this.#waits.get(ticket)?.ends.abort(new Error('given up'))
    this.#endWait(ticket)
    return this.#release(ticket)
  }

  #release(ticket: number): boolean {
    const kept = this.#kept.get(ticket)
    if (kept === undefined) return false
    this.#drop(ticket)
    const wasHeld = kept.held.isHeld
    kept.held.release()
    return wasHeld
  }

  #releaseAll(): void {
    for (const ticket of this.#kept.keys()) this.#release(ticket)
  }

  #drop(ticket: number): void {
    const kept = this.#kept.get(ticket)
    this.#kept.delete(ticket)
    kept?.over()
  }

  /** No more requests are granted, and the client is asked to release its locks. */
  end(): void {
    this.#giveUp(leaving(this.#keeping.id))
    if (this.#kept.size > 0) this.#say({ kind: 'end', message: leaving(this.#keeping.id).message })
  }

  #giveUp(reason: Error): void {
    for (const { ends } of this.#waits.values()) ends.abort(reason)
  }

  /**
   * `died`: the client closed the connection, so its process no longer runs (C5). Otherwise it may still rely on its promise
   * (C3). With `lingers` its command may run for half a lease after that (C6).
   */
  gone(died: boolean): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#giveUp(new Error('the client has gone'))
    this.#waits.clear()
    this.#unheed?.()
    for (const end of this.#echoes.values()) end(true)
    if (!died && !this.lingers) return
    if (!this.lingers) return this.#releaseAll()
    const grace = GRACE * this.#keeping.leaseMs
    for (const { held } of this.#kept.values())
      this.#keeping.log.warn('a client has gone with a lock', { name: held.name, grace })
    // A client that was disconnected may first rely on its promise. After that its command must end.
    const promised = died ? 0 : Math.max(0, this.#until - monotonic())
    setTimeout(() => this.#releaseAll(), promised + grace)
  }
}

function leaving(id: string): DOMException {
  return invalidState(`node ${id} is leaving`)
}

function releaseAll(all: readonly Held[] | null): void {
  for (const held of all ?? []) held.release()
}

/** The timeout counts from now, although the mesh cannot be asked yet. */
async function withinTime<Value>(
  question: Asked,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { timeout } = question
  const late = new AbortController()
  const timer =
    timeout === null
      ? undefined
      : setTimeout(() => late.abort(lockTimedOut(nameIn(question), timeout)), timeout)
  try {
    const ends = AbortSignal.any([signal, late.signal])
    return await orAborted(act(ends), ends)
  } finally {
    clearTimeout(timer)
  }
}

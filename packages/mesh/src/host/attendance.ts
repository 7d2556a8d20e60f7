/**
 * What a node that meets others at a register asks of its host: calls to the register, sessions, and whether a process has ended.
 */
import type { PlaceStatus } from '../observe/mesh-status.ts'
import { epochOf } from '../protocol/epochs.ts'
import type { Effect, Event } from '../protocol/events.ts'
import { type Answer, type Call, rowOf } from '../protocol/meeting/cells.ts'
import { memberOf } from '../protocol/membership.ts'
import { startMeeting } from '../protocol/node.ts'
import type { Id } from '../protocol/record.ts'
import type { Config, Node } from '../protocol/state.ts'
import type { Register } from '../register/register.ts'
import { complaintOf, inTime } from '../register/server-answers.ts'
import type { SessionTransport } from '../transport/session-transport.ts'
import type { Address } from '../transport/sockets.ts'
import type { Receiver } from '../transport/transport.ts'
import { Guests } from './guests.ts'

export type Asked = Extract<Effect, { kind: 'call' | 'out' | 'addresses' | 'hints' | 'doubt' }>

/** The runner of the node. */
interface Host {
  readonly now: number
  dispatch(event: Event): void
  fail(error: Error): void
}

export interface Attending {
  /** The place as text, for people. */
  readonly place: string
  readonly register: Register
  readonly transport: SessionTransport
  /** Milliseconds after which a call counts as unanswered. */
  readonly patience: number
  readonly first: Session
  /** Identifies this process to the kernel, so that others can ask whether it has ended. Empty if only the lease shall decide. */
  readonly life: string
  /** Whether others shall wait for the lease, however a session ends that held something. */
  readonly waitsOut: boolean
  /** A session that was never used before, and where it listens. */
  readonly next: () => Session
  readonly readAddress: (address: string) => Address
  /** Called before each further session. Rejects if the register does not answer. */
  readonly renew: () => Promise<void>
  /** Removes the socket that an ended process left behind. */
  readonly tidy: (address: string) => Promise<void>
  /** Called when no session listens any more. */
  readonly close: () => Promise<void>
}

export interface Session {
  readonly id: Id
  readonly address: string
}

/** Milliseconds to wait before each question to the kernel. */
const AT_ONCE = [0]
const SUDDEN = [0, 5, 10, 20, 40, 80, 160, 320, 640, 1280]

export class Attendance {
  readonly #attending: Attending
  readonly #host: Host
  #endWatch: () => void = () => {}
  /** For each session the remaining waits before the kernel is asked again. */
  readonly #doubted = new Map<Id, number[]>()
  #known = new Map<Id, Address & { readonly text: string }>()
  #node: Node | null = null
  #isClosed = false
  /** When the register last answered, and its error since then. */
  #answeredAt: number
  #complaint: string | null = null

  constructor(attending: Attending, host: Host) {
    this.#attending = attending
    this.#host = host
    this.#answeredAt = host.now
  }

  get place(): PlaceStatus {
    const why = this.#complaint
    const silentFor = why === null ? null : Math.max(0, this.#host.now - this.#answeredAt)
    return { name: this.#attending.place, silentFor, why }
  }

  start(id: Id, config: Config, now: number): { node: Node; effects: Effect[] } {
    const { first, life, waitsOut, register } = this.#attending
    const seconds = epochOf(Date.now())
    const asksKernel = register.isDead !== undefined
    const options = { address: first.address, life, waitsOut, seconds, asksKernel }
    const node = startMeeting(id, config, options, now)
    this.#node = node
    return { node, effects: [] }
  }

  /** Receives only from sessions that are known here. */
  heeding(receive: Receiver['receive']): Receiver['receive'] {
    const { register, patience } = this.#attending
    const guests = new Guests({
      isMember: (session) => this.#node !== null && memberOf(this.#node, session) !== undefined,
      hasRow: async (session) => (await inTime(register.read(rowOf(session)), patience)) !== null,
      receive: (from, message) => this.#isClosed || receive(from, message),
      patience,
    })
    return guests.receive
  }

  /** Called when the node can be reached. */
  begin(): void {
    this.#host.dispatch({ kind: 'tick' })
  }

  do(effect: Asked): void {
    switch (effect.kind) {
      case 'call':
        return void this.#call(effect.call).then((answer) => {
          this.#heed(answer)
          this.#tell({ kind: 'answered', ticket: effect.ticket, answer })
        })
      case 'out':
        return void this.#renew()
      case 'addresses':
        return this.#learn(effect.addresses, effect.isWhole)
      case 'hints':
        return this.#takeHints(effect.areWanted)
      case 'doubt':
        return void this.#doubt(effect)
    }
  }

  #tell(event: Event): void {
    if (!this.#isClosed || event.kind === 'answered') this.#host.dispatch(event)
  }

  #heed(answer: Answer): void {
    this.#complaint = answer.kind === 'failed' || answer.kind === 'unknown' ? answer.why : null
    if (this.#complaint === null) this.#answeredAt = this.#host.now
  }

  async #call(call: Call): Promise<Answer> {
    try {
      return await inTime(this.#ask(call), this.#attending.patience)
    } catch (error) {
      return { kind: call.do === 'cas' ? 'unknown' : 'failed', why: complaintOf(error) }
    }
  }

  async #ask(call: Call): Promise<Answer> {
    const { register } = this.#attending
    if (call.do === 'read') return { kind: 'cell', cell: await register.read(call.cell) }
    if (call.do === 'list') return { kind: 'cells', cells: await register.list(call.prefix) }
    return register.cas(call.cell, call.version, call.value)
  }

  async #renew(): Promise<void> {
    const { next, transport, readAddress } = this.#attending
    const { id, address } = next()
    try {
      await this.#prepared()
      await transport.renew(id, readAddress(address))
      this.#tell({ kind: 'session', session: id, address })
    } catch (error) {
      this.#host.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** Resolves when the register has answered. Without it a session could not do anything. */
  async #prepared(): Promise<void> {
    const { renew, patience } = this.#attending
    while (!this.#isClosed) {
      try {
        return await inTime(renew(), patience)
      } catch (error) {
        this.#heed({ kind: 'failed', why: complaintOf(error) })
        await new Promise((resolve) => void setTimeout(resolve, patience).unref())
      }
    }
  }

  #learn(addresses: Readonly<Record<Id, string | null>>, isWhole: boolean): void {
    const { transport } = this.#attending
    const before = this.#known
    if (isWhole) this.#known = new Map()
    for (const [id, text] of Object.entries(addresses)) {
      const same = before.get(id)
      // Most addresses are unchanged, and there may be many.
      const known = same !== undefined && same.text === text ? same : this.#place(text)
      if (known === null) this.#known.delete(id)
      else this.#known.set(id, known)
    }
    transport.setPeers(this.#known)
  }

  /** Null if nobody listens there. Whoever can write at the register can write anything: it must not end this process. */
  #place(text: string | null): (Address & { readonly text: string }) | null {
    if (text === null || text === '') return null
    try {
      return { text, ...this.#attending.readAddress(text) }
    } catch {
      return null
    }
  }

  /** Only members that list the rows want hints: every renewal of a member may cause one. */
  #takeHints(areWanted: boolean): void {
    this.#endWatch()
    const hinted = () => this.#isClosed || this.#host.dispatch({ kind: 'hint' })
    this.#endWatch = (areWanted ? this.#attending.register.watch?.('', hinted) : null) ?? (() => {})
  }

  /**
   * If the kernel knows that a process has ended, no node waits for its lease. An ending process closes its sockets one after
   * another, so the kernel is asked several times.
   */
  async #doubt({ session, life, address, isSudden }: Extract<Asked, { kind: 'doubt' }>): Promise<void> {
    const { register, tidy } = this.#attending
    const begun = this.#doubted.get(session)
    // It may have died after the kernel was asked.
    if (begun !== undefined) return isSudden ? void begun.splice(0, begun.length, ...SUDDEN) : undefined
    const pauses = [...(isSudden ? SUDDEN : AT_ONCE)]
    this.#doubted.set(session, pauses)
    try {
      for (let pause = pauses.shift(); pause !== undefined && !this.#isClosed; pause = pauses.shift()) {
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
        if (!(await register.isDead?.(life))) continue
        this.#tell({ kind: 'dead', session })
        return await tidy(address)
      }
    } catch {
      // If it is not certain, the lease decides.
    } finally {
      this.#doubted.delete(session)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#endWatch()
    await Promise.all([this.#attending.close(), this.#attending.register.close()])
  }
}

/** What a node that meets others at a register asks of its host: calls to the register, sessions, and whether a process is gone. */
import type { Effect, Event } from '../protocol/events.ts'
import type { Answer, Call } from '../protocol/meeting/cells.ts'
import { startMeeting } from '../protocol/node.ts'
import type { Id } from '../protocol/record.ts'
import type { Config, Node } from '../protocol/state.ts'
import { complaintOf, inTime } from '../register/answers.ts'
import type { Register } from '../register/register.ts'
import type { SessionTransport } from '../transport/session-transport.ts'
import type { Address } from '../transport/sockets.ts'

export type Asked = Extract<Effect, { kind: 'call' | 'out' | 'addresses' | 'hints' | 'doubt' }>

/** The place where a mesh meets, and whether it answers. */
export interface PlaceStatus {
  /** Without passwords. */
  readonly name: string
  /** Milliseconds since it last answered, if it does not; null while it does. */
  readonly silentFor: number | null
  /** What it said instead of an answer; null while it answers. */
  readonly why: string | null
}

/** Whoever runs the node. */
interface Host {
  readonly now: number
  dispatch(event: Event): void
  fail(error: Error): void
}

export interface Attending {
  /** The place, for people. */
  readonly place: string
  readonly register: Register
  readonly transport: SessionTransport
  /** Milliseconds after which the outcome of a call is taken for unknown. */
  readonly patience: number
  readonly first: Session
  /** Names this process for those who ask the kernel whether it is gone; empty if the lease is to decide. */
  readonly life: string
  /** A session that there has never been, and where it listens. */
  readonly next: () => Session
  readonly readAddress: (address: string) => Address
  /** What a process that is gone has left where it listened. */
  readonly tidy: (address: string) => Promise<void>
  /** When no session listens any more. */
  readonly close: () => Promise<void>
}

export interface Session {
  readonly id: Id
  readonly address: string
}

/** Milliseconds before each time the kernel is asked. */
const AT_ONCE = [0]
const SUDDEN = [0, 5, 10, 20, 40, 80, 160, 320, 640, 1280]

/** From here M12 counts seconds. */
const BEGINNING = Date.UTC(2025, 0, 1)

export class Attendance {
  readonly #attending: Attending
  readonly #host: Host
  #endWatch: () => void = () => {}
  /** By session, how often the kernel will still be asked. */
  readonly #doubted = new Map<Id, number[]>()
  #known = new Map<Id, Address & { readonly text: string }>()
  #isClosed = false
  /** When the register last answered, and what it has said since instead of an answer. */
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
    const { first, life, register } = this.#attending
    const seconds = Math.floor((Date.now() - BEGINNING) / 1000)
    const options = { address: first.address, life, seconds, asksKernel: register.isDead !== undefined }
    return { node: startMeeting(id, config, options, now), effects: [] }
  }

  /** When it can be reached. */
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
      await transport.renew(id, readAddress(address))
      this.#tell({ kind: 'session', session: id, address })
    } catch (error) {
      this.#host.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #learn(addresses: Readonly<Record<Id, string>>, isWhole: boolean): void {
    const { transport, readAddress } = this.#attending
    const before = this.#known
    if (isWhole) this.#known = new Map()
    for (const [id, text] of Object.entries(addresses)) {
      const same = before.get(id)
      // Most are as they were, and there may be many.
      if (text !== '') this.#known.set(id, same?.text === text ? same : { text, ...readAddress(text) })
    }
    transport.setPeers(this.#known)
  }

  /** Only members that list the rows take hints: any renewal of any member may cause one. */
  #takeHints(areWanted: boolean): void {
    this.#endWatch()
    const hinted = () => this.#isClosed || this.#host.dispatch({ kind: 'hint' })
    this.#endWatch = (areWanted ? this.#attending.register.watch?.('', hinted) : null) ?? (() => {})
  }

  /** Where the kernel knows, nobody waits for a lease. A process that ends closes its sockets one after another. */
  async #doubt({ session, life, address, isSudden }: Extract<Asked, { kind: 'doubt' }>): Promise<void> {
    const { register, tidy } = this.#attending
    const begun = this.#doubted.get(session)
    // It may have died after it was asked about.
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
      // It is not certain, and then the lease decides.
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

/**
 * Nodes that meet at a register, in virtual time: clocks that run at different rates, a network that loses, repeats, delays and cuts,
 * processes that stop, crash and come back as new sessions, and an engine that is slow, away, or does not say what it did.
 */
import { type Random, randomStream } from '@turnwise/core/random'
import { EventQueue } from '@turnwise/simulator/event-queue'
import { SOUND_MEETING, underMeeting } from '../../broken/meeting.ts'
import type { Effect, Event } from '../../src/protocol/events.ts'
import type { Answer, Call } from '../../src/protocol/meeting/cells.ts'
import type { MeetingRules } from '../../src/protocol/meeting/rules.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { handle, startMeeting } from '../../src/protocol/node.ts'
import type { Node } from '../../src/protocol/state.ts'
import { Callers } from '../simulation/callers.ts'
import { type Counts, count, noCounts } from '../simulation/counts.ts'
import { exclusion, Fences, type Violation } from '../simulation/judge.ts'
import { Network } from '../simulation/network.ts'
import { LEASE } from '../simulation/plan.ts'
import { Engine } from './engine.ts'
import type { MeetingPlan } from './plan.ts'

const [HANDLE, START, FAULT, CALLER, HEAL, QUIET, DO, CRASH] = [0, 1, 2, 3, 4, 5, 6, 7]

const FAULTS = ['crash', 'cut', 'pause', 'renew', 'leave', 'outage'] as const
type Fault = (typeof FAULTS)[number]

interface Process {
  readonly name: string
  readonly rate: number
  offset: number
  life: number
  sessions: number
  node: Node | null
  pausedUntil: number
  /** So many effects until it crashes; null if it does not. */
  effectsLeft: number | null
}

interface Asked {
  readonly ticket: number
  readonly call: Call
  readonly answered: number
  readonly isLost: boolean
}

export interface Outcome {
  readonly violation: Violation | null
  readonly counts: Counts
}

export function simulateMeeting(
  plan: MeetingPlan,
  rules: MeetingRules = SOUND_MEETING,
  watch: (line: string) => void = () => {},
): Outcome {
  return underMeeting(rules, () => new World(plan, watch).run())
}

class World {
  readonly #plan: MeetingPlan
  readonly #watch: (line: string) => void
  readonly #queue = new EventQueue()
  readonly #processes: Process[]
  readonly #engine: Engine
  readonly #network: Network
  readonly #trouble: Random
  readonly #callers: Callers
  readonly #fences = new Fences()
  readonly #entered = new Set<string>()
  readonly #counts = noCounts()
  #violation: Violation | null = null
  #isQuiet = false
  #now = 0

  constructor(plan: MeetingPlan, watch: (line: string) => void) {
    const { nodes, drift } = plan.plan
    this.#plan = plan
    this.#watch = watch
    this.#engine = new Engine(plan)
    this.#network = new Network(plan.plan)
    this.#trouble = randomStream(plan.plan.seed, 'trouble')
    this.#callers = new Callers(plan.plan)
    const rates = randomStream(plan.plan.seed, 'rates')
    this.#processes = Array.from({ length: nodes }, (_, i) => ({
      name: 'abcdefgh'[i],
      rate: 1 + drift * (2 * rates.fraction() - 1),
      offset: 0,
      life: 0,
      sessions: 0,
      node: null,
      pausedUntil: 0,
      effectsLeft: null,
    }))
  }

  run(): Outcome {
    const { plan } = this.#plan
    this.#counts.runs = 1
    this.#processes.forEach((_, i) => {
      this.#at(this.#trouble.fraction() * LEASE * (this.#trouble.chance(0.2) ? 3 : 0.3), START, i)
      this.#at(this.#callers.first(), CALLER, i)
    })
    for (const fault of FAULTS) this.#nextFault(fault)
    this.#at(plan.quietFrom, QUIET, 0)
    while (this.#violation === null && this.#queue.pop()) {
      if (this.#queue.time > plan.end) break
      this.#now = this.#queue.time
      this.#step()
    }
    if (this.#violation === null && plan.mustEnterFrom !== null) this.#askProgress()
    return { violation: this.#violation, counts: this.#counts }
  }

  #at(delay: number, kind: number, node: number, payload: unknown = null): void {
    this.#queue.push(this.#now + delay, kind, node, this.#processes[node].life, 0, payload)
  }

  #step(): void {
    const { kind, node: index, other: life, payload } = this.#queue
    const process = this.#processes[index]
    switch (kind) {
      case HANDLE:
        if (process.node === null || process.life !== life) return
        if (this.#now < process.pausedUntil) {
          return this.#queue.push(process.pausedUntil, HANDLE, index, life, 0, payload)
        }
        return this.#handle(process, index, payload as Event)
      case START:
        if (process.node === null) this.#start(process, index)
        return
      case FAULT:
        if (this.#isQuiet) return
        this.#inflict(payload as Fault)
        return this.#nextFault(payload as Fault)
      case CALLER:
        return this.#newCaller(process, index)
      case HEAL:
        if (!this.#isQuiet) this.#network.heal(payload as number[])
        return
      case DO:
        return this.#do(index, life, payload as Asked)
      case CRASH:
        if (process.life === life) this.#crash(process, index)
        return
      case QUIET:
        return this.#fallQuiet()
    }
  }

  #clock({ rate, offset }: Process): number {
    return offset + rate * this.#now
  }

  #start(process: Process, index: number): void {
    const { plan } = this.#plan
    process.life += 1
    process.offset = this.#trouble.below(1000) - 500 - process.rate * this.#now
    process.pausedUntil = 0
    process.effectsLeft = null
    const session = this.#newSession(process)
    const config = {
      peers: [session],
      voters: [],
      settings: { algorithm: plan.algorithm, lease: LEASE, drift: plan.drift },
      roundTrip: 5,
    }
    const options = { address: session, life: this.#plan.engine.kernel ? session : '', seconds: 1000 }
    process.node = startMeeting(session, config, options, this.#clock(process))
    this.#watch(`${this.#now.toFixed(2)} ${session} starts`)
    this.#at((this.#trouble.fraction() * LEASE) / 10, HANDLE, index, { kind: 'tick' })
  }

  #newSession(process: Process): string {
    process.sessions += 1
    return `${process.name}${process.sessions}`
  }

  #handle(process: Process, index: number, event: Event): void {
    if (event.kind === 'leave' && this.#isQuiet) return
    if (event.kind === 'tick') this.#at(LEASE / 10 / process.rate, HANDLE, index, event)
    const node = process.node as Node
    // A connection names the session that it is for.
    if (event.kind === 'receive' && (event as Event & { to?: string }).to !== node.id) return
    this.#counts.events += 1
    this.#watch(`${this.#now.toFixed(2)} ${node.id} ${shown(event)}`)
    try {
      const effects = handle(node, event, this.#clock(process))
      for (const effect of effects) {
        if (process.effectsLeft !== null && process.effectsLeft-- <= 0) {
          this.#crash(process, index)
          break
        }
        this.#perform(process, index, effect)
      }
    } catch (error) {
      this.#report('impossible', error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
    const running = this.#processes.flatMap((each) =>
      each.node === null ? [] : [{ node: each.node, clock: this.#clock(each) }],
    )
    const both = exclusion(running, this.#plan.plan.names)
    if (both !== null) this.#report('exclusion', both)
  }

  #report(judge: Violation['judge'], text: string): void {
    this.#violation ??= { judge, at: this.#now, text }
  }

  #perform(process: Process, index: number, effect: Effect): void {
    const node = process.node as Node
    this.#watch(`  ${node.id}: ${shown(effect)}`)
    count(this.#counts, node.id, effect)
    switch (effect.kind) {
      case 'send':
        return this.#transmit(index, node.id, effect.to, effect.message)
      case 'call':
        return this.#ask(index, effect.ticket, effect.call)
      case 'wake': {
        const wait = Math.max(0, effect.at - this.#clock(process)) / process.rate + 0.001
        return this.#at(wait, HANDLE, index, { kind: 'wake' })
      }
      case 'grant': {
        const complaint = this.#fences.granted(this.#now, effect.name, effect)
        if (complaint !== null) this.#report('fence', `${node.id}: ${complaint}`)
        this.#counts.grants += 1
        const { mustEnterFrom } = this.#plan.plan
        if (mustEnterFrom !== null && this.#now >= mustEnterFrom)
          this.#entered.add(`${process.name} ${effect.name}`)
        const { name, caller } = effect
        return this.#at(this.#callers.stay(), HANDLE, index, { kind: 'release', name, caller })
      }
      case 'out': {
        const session = this.#newSession(process)
        return this.#at(LEASE * 0.02, HANDLE, index, { kind: 'session', session, address: session })
      }
      case 'left':
        return this.#at(0, CRASH, index)
      case 'contradiction':
        return this.#report('impossible', effect.what)
      case 'stale-state':
      case 'unlike':
        return this.#report('impossible', `${node.id}: ${effect.kind}`)
    }
  }

  #ask(index: number, ticket: number, call: Call): void {
    const { done, answered, isLost } = this.#engine.times(this.#now)
    const asked: Asked = { ticket, call, answered, isLost }
    if (done !== null) this.#queue.push(done, DO, index, this.#processes[index].life, 0, asked)
    if (!isLost) return
    const answer: Answer =
      call.do === 'cas' ? { kind: 'unknown', why: 'no answer' } : { kind: 'failed', why: 'no answer' }
    this.#queue.push(answered, HANDLE, index, this.#processes[index].life, 0, {
      kind: 'answered',
      ticket,
      answer,
    })
  }

  /** At the engine, whether or not whoever asked is still there. */
  #do(index: number, life: number, { ticket, call, answered, isLost }: Asked): void {
    const answer = this.#engine.do(call)
    if (call.do === 'cas')
      this.#watch(`${this.#now.toFixed(2)} engine: ${call.cell} ${answer.kind} ${call.value}`)
    if (!isLost)
      this.#queue.push(Math.max(this.#now, answered), HANDLE, index, life, 0, {
        kind: 'answered',
        ticket,
        answer,
      })
  }

  #transmit(from: number, sender: string, to: string, message: Message): void {
    const index = this.#processes.findIndex(({ name }) => to.startsWith(name))
    const event = { kind: 'receive', from: sender, message, to } as Event
    for (const delay of this.#network.delays(from, index)) {
      this.#queue.push(this.#now + delay, HANDLE, index, this.#processes[index].life, 0, event)
    }
  }

  #nextFault(fault: Fault): void {
    const { crashes, cuts, pauses, renewals, leaves } = this.#plan.plan
    const means: Record<Fault, number> = {
      crash: crashes,
      cut: cuts,
      pause: pauses,
      renew: renewals,
      leave: leaves,
      outage: this.#plan.engine.outages,
    }
    const mean = means[fault]
    if (mean > 0) this.#at(-mean * Math.log(1 - this.#trouble.fraction()), FAULT, 0, fault)
  }

  #inflict(fault: Fault): void {
    const index = this.#trouble.below(this.#plan.plan.nodes)
    const process = this.#processes[index]
    if (fault === 'outage') {
      this.#engine.awayUntil = this.#now + 2 * LEASE * this.#trouble.fraction()
      return
    }
    if (process.node === null) return
    switch (fault) {
      case 'crash':
        if (this.#trouble.chance(0.5)) this.#crash(process, index)
        else process.effectsLeft = this.#trouble.below(8)
        return
      case 'cut': {
        const { links, lasts } = this.#network.cutOff(index, this.#trouble)
        this.#counts.cuts += 1
        return this.#at(lasts, HEAL, 0, links)
      }
      case 'pause':
        this.#counts.pauses += 1
        process.pausedUntil = this.#now + 4 * LEASE * this.#trouble.fraction() ** 2
        return
      case 'renew':
        return this.#at(0, HANDLE, index, { kind: 'renew' })
      case 'leave':
        this.#counts.leaves += 1
        return this.#at(0, HANDLE, index, { kind: 'leave' })
    }
  }

  #crash(process: Process, index: number): void {
    const session = process.node?.id
    if (session === undefined) return
    this.#counts.crashes += 1
    this.#watch(`${this.#now.toFixed(2)} ${session} crashes`)
    process.node = null
    process.life += 1
    if (this.#plan.engine.kernel) this.#tellDeath(index, session)
    const away = this.#isQuiet || this.#trouble.chance(this.#plan.plan.quick) ? LEASE / 10 : 3 * LEASE
    this.#at(away * this.#trouble.fraction(), START, index)
  }

  #tellDeath(index: number, session: string): void {
    this.#processes.forEach((other, i) => {
      if (i !== index && other.node !== null)
        this.#at((this.#trouble.fraction() * LEASE) / 10, HANDLE, i, { kind: 'dead', session })
    })
  }

  #newCaller({ node }: Process, index: number): void {
    this.#at(this.#callers.pause(), CALLER, index)
    if (node === null || node.left) return
    for (const { delay, event } of this.#callers.requests(node)) this.#at(delay, HANDLE, index, event)
  }

  #fallQuiet(): void {
    this.#isQuiet = true
    this.#engine.isQuiet = true
    this.#callers.isQuiet = true
    this.#network.fallQuiet()
    this.#processes.forEach((process, index) => {
      process.effectsLeft = null
      if (process.node === null) this.#start(process, index)
    })
  }

  #askProgress(): void {
    this.#counts.quietTails += 1
    for (const { name } of this.#processes) {
      const missed = this.#plan.plan.names.find((lock) => !this.#entered.has(`${name} ${lock}`))
      if (missed !== undefined) this.#report('progress', `${name} never entered ${missed} after the faults`)
    }
  }
}

function shown(thing: Event | Effect): string {
  return JSON.stringify(thing, (_, value) => (value instanceof Map ? Object.fromEntries(value) : value))
}

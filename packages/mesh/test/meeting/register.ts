/**
 * A world in which a register decides views: processes come back as new sessions, and the engine is slow, away, or does not say what
 * it did.
 */
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import { present } from '../../../../test/present.ts'
import { SOUND_MEETING, underMeeting } from '../../broken/meeting.ts'
import type { Effect, Event } from '../../src/protocol/events.ts'
import { type Answer, type Call, VIEW } from '../../src/protocol/meeting/cells.ts'
import type { MeetingRules } from '../../src/protocol/meeting/meeting-rules.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { handle, startMeeting } from '../../src/protocol/node.ts'
import type { Node } from '../../src/protocol/state.ts'
import { type Fault, LEASE, zoneIn } from '../simulation/plan.ts'
import { end, newProcess, type Process } from '../simulation/process.ts'
import type { Beside } from '../simulation/voters.ts'
import { type Authority, HANDLE, type Outcome, OWN, START, World } from '../simulation/world.ts'
import { Engine } from './engine.ts'
import type { MeetingPlan } from './plan.ts'

const [DO, GONE, DAMAGE, STRIKE] = [OWN, OWN + 1, OWN + 2, OWN + 3]

/** What is done to the cells, or before that to the members (M14). */
type Damage = 'wipes' | 'restores' | 'stop' | 'restore'

interface Member extends Process {
  sessions: number
}

interface Asked {
  readonly ticket: number
  readonly call: Call
  readonly answered: number
  readonly isLost: boolean
  /** How often all members had been stopped. Their connections to the engine ended then, and what was on its way with them. */
  readonly stops: number
}

export function simulateMeeting(
  plan: MeetingPlan,
  rules: MeetingRules = SOUND_MEETING,
  watch: ((line: string) => void) | null = null,
  beside: Beside | null = null,
): Outcome {
  const { nodes, drift, seed } = plan.plan
  const rates = randomStream(seed, 'rates')
  const members = Array.from({ length: nodes }, (_, i) => ({
    ...newProcess(present('abcdefgh'[i]), 1 + drift * (2 * rates.fraction() - 1)),
    sessions: 0,
  }))
  const world = new World(
    plan.plan,
    members,
    watch,
    (here: World<Member>) => new Register(here, plan, beside),
  )
  return underMeeting(rules, () => world.run())
}

class Register implements Authority<Member> {
  readonly #world: World<Member>
  readonly #plan: MeetingPlan
  readonly #engine: Engine
  readonly #damage: Random
  readonly #aim: Random
  readonly #beside: Beside | null
  #stops = 0
  /** No member starts before this. */
  #closedUntil = 0

  constructor(world: World<Member>, plan: MeetingPlan, beside: Beside | null) {
    this.#world = world
    this.#beside = beside
    this.#plan = plan
    this.#engine = new Engine(plan)
    this.#damage = randomStream(plan.plan.seed, 'damage')
    this.#aim = randomStream(plan.plan.seed, 'aim')
    for (const kind of ['wipes', 'restores'] as const) this.#nextDamage(kind)
    const { restoredAt } = plan.engine
    if (restoredAt > 0) world.at(restoredAt, DAMAGE, 0, 'stop')
  }

  #nextDamage(kind: 'wipes' | 'restores'): void {
    const mean = this.#plan.engine[kind]
    if (mean > 0) this.#world.at(-mean * Math.log(1 - this.#damage.fraction()), DAMAGE, 0, kind)
  }

  get #isDamaged(): boolean {
    const { wipes, restores } = this.#plan.engine
    return wipes > 0 || restores > 0
  }

  start(process: Member): readonly Effect[] {
    const wait = this.#closedUntil - this.#world.now
    if (wait > 0) {
      this.#world.at(wait, START, this.#world.processes.indexOf(process))
      return []
    }
    const { algorithm, drift } = this.#plan.plan
    const session = newSession(process)
    const settings = { algorithm, lease: LEASE, drift }
    const zone = zoneIn(this.#plan.plan, process.id, process.life)
    const config = { peers: [session], voters: [], settings, roundTrip: 5, ...zone }
    const options = {
      address: session,
      life: this.#plan.engine.kernel ? session : '',
      seconds: 0,
    }
    process.node = startMeeting(session, config, options, this.#world.clock(process))
    this.#world.say(`${session} starts`)
    return []
  }

  handle(node: Node, event: Event, clock: number): readonly Effect[] {
    const { seconds } = this.#plan.engine
    if (node.meeting !== null)
      Object.assign(node.meeting, { seconds: 1000 + (seconds * this.#world.now) / LEASE })
    this.#beside?.before(node, clock)
    const stage = node.meeting?.attempt?.stage
    const effects = handle(node, event, clock)
    this.#beside?.after(event, effects, node, clock)
    if (node.meeting?.attempt?.stage !== stage) this.#mayStrike(node)
    return effects
  }

  /** Soon after it has frozen members, or asked for its decision. */
  #mayStrike({ id, meeting }: Node): void {
    const { strikes } = this.#plan.engine
    const stage = meeting?.attempt?.stage
    const isOpen = stage === 'freezing' || stage === 'deciding'
    if (!isOpen || this.#world.isQuiet || !this.#aim.chance(strikes)) return
    const index = this.#world.processes.findIndex(({ node }) => node?.id === id)
    this.#world.at((this.#aim.fraction() ** 2 * LEASE) / 5, STRIKE, index)
  }

  #strike(process: Member, index: number): void {
    const { kinds } = this.#plan.engine
    const strike = get(kinds, this.#aim.below(kinds.length))
    if (process.node === null || this.#world.isQuiet) return
    this.#world.say(`${process.node.id}: ${strike}`)
    if (strike === 'kill') return this.#world.crash(process, index)
    if (strike === 'leave') return this.#world.at(0, HANDLE, index, this.leaving())
    if (strike === 'stop') process.pausedUntil = this.#world.now + 2 * LEASE * this.#aim.fraction()
    if (strike === 'cut') this.#world.cutOff(index)
    this.#hangUp(process.node.id, index)
  }

  /** The others hear that their connections to this process have ended. */
  #hangUp(session: string, index: number): void {
    if (!this.#plan.engine.hangups) return
    this.#world.processes.forEach((other, i) => {
      const event = { kind: 'disconnected', peer: session }
      if (i !== index && other.node !== null)
        this.#world.at((this.#aim.fraction() * LEASE) / 20, HANDLE, i, event)
    })
  }

  perform(process: Member, index: number, effect: Effect): void {
    const id = process.node?.id ?? ''
    switch (effect.kind) {
      case 'send':
        return this.#transmit(index, id, effect.to, effect.message)
      case 'call':
        return this.#ask(process, index, effect.ticket, effect.call)
      case 'out': {
        const session = newSession(process)
        return this.#world.at(LEASE * 0.02, HANDLE, index, { kind: 'session', session, address: session })
      }
      case 'left':
        return this.#world.at(0, GONE, index)
      case 'stale-state':
        // M14: also a view that was asked for long before, and is made when somebody has deleted the one since.
        if (this.#isDamaged) return
        return this.#world.report('impossible', `${id}: ${effect.kind}`)
      case 'unlike':
        return this.#world.report('impossible', `${id}: ${effect.kind}`)
    }
  }

  #ask({ life }: Member, index: number, ticket: number, call: Call): void {
    const { done, answered, isLost } = this.#engine.times(this.#world.now)
    const asked: Asked = { ticket, call, answered, isLost, stops: this.#stops }
    if (done !== null) this.#world.push(done, DO, index, life, asked)
    if (!isLost) return
    const answer: Answer = { kind: call.do === 'cas' ? 'unknown' : 'failed', why: 'no answer' }
    this.#world.push(answered, HANDLE, index, life, { kind: 'answered', ticket, answer })
  }

  happens(kind: number, process: Member, index: number, life: number, payload: unknown): void {
    if (kind === DO) this.#do(index, life, payload as Asked)
    else if (kind === DAMAGE) this.#harm(payload as Damage)
    else if (process.life === life && kind === STRIKE) this.#strike(process, index)
    else if (process.life === life) this.#world.crash(process, index)
  }

  #harm(kind: Damage): void {
    if (this.#world.isQuiet) return
    this.#world.say(`engine: ${kind}`)
    if (kind === 'stop') return this.#stopAll()
    if (kind === 'wipes') this.#engine.cells.delete(VIEW)
    else this.#engine.restore(this.#damage)
    if (kind !== 'restore') this.#nextDamage(kind)
  }

  /** M14: before the operator restores a copy. */
  #stopAll(): void {
    const { processes, now } = this.#world
    this.#stops += 1
    this.#closedUntil = now + 1.1 * LEASE
    processes.forEach((process, index) => {
      this.#world.crash(process, index)
    })
    this.#world.at(LEASE, DAMAGE, 0, 'restore')
  }

  /** At the engine, whether or not the caller is still there. */
  #do(index: number, life: number, { ticket, call, answered, isLost, stops }: Asked): void {
    if (stops !== this.#stops) return
    const answer = this.#engine.do(call)
    if (call.do === 'cas') this.#world.say(`engine: ${call.cell} ${answer.kind} ${call.value}`)
    if (isLost) return
    const heard = Math.max(this.#world.now, answered)
    this.#world.push(heard, HANDLE, index, life, { kind: 'answered', ticket, answer })
  }

  #transmit(from: number, sender: string, to: string, message: Message): void {
    const index = this.#world.processes.findIndex(({ id }) => to.startsWith(id))
    const event = { kind: 'receive', from: sender, message, to }
    for (const delay of this.#world.network.delays(from, index)) this.#world.at(delay, HANDLE, index, event)
  }

  inflict(fault: Fault): void {
    const { now, trouble } = this.#world
    if (fault === 'outage') this.#engine.awayUntil = now + 2 * LEASE * trouble.fraction()
  }

  leaving(): Event {
    return { kind: 'leave' }
  }

  isOpen(): boolean {
    return true
  }

  /** The kernel tells the others, if it can. */
  crashed(process: Member, index: number): void {
    const session = process.node?.id
    end(process)
    if (session !== undefined) this.#hangUp(session, index)
    if (!this.#plan.engine.kernel) return
    this.#world.processes.forEach((other, i) => {
      const heard = i !== index && other.node !== null
      if (heard)
        this.#world.at((this.#world.trouble.fraction() * LEASE) / 10, HANDLE, i, { kind: 'dead', session })
    })
  }

  fallQuiet(): void {
    this.#engine.isQuiet = true
    this.#world.processes.forEach((process, index) => {
      process.effectsLeft = null
      if (process.node === null) this.#world.start(process, index)
    })
  }

  /** M14: those who know of a later view than there is wait for an operator. */
  isHalted(): boolean {
    return this.#isDamaged && this.#world.processes.some(({ node }) => node?.isStale)
  }
}

function newSession(process: Member): string {
  process.sessions += 1
  return `${process.id}${process.sessions}`
}

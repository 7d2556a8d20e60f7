/** A world in which the disks of voters decide views: processes come back with or without their disk, or with an old copy of it. */
import { get } from '@turnwise/core/bounds'
import { present } from '../../../../test/present.ts'
import { SOUND, under } from '../../broken/under.ts'
import type { Effect, Event } from '../../src/protocol/events.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { handle, start } from '../../src/protocol/node.ts'
import type { Durable } from '../../src/protocol/record.ts'
import type { Rules } from '../../src/protocol/rules.ts'
import type { Node } from '../../src/protocol/state.ts'
import { marksFor } from '../marks.ts'
import { isHalted, mayLose } from './judge.ts'
import { type Fault, LEASE, type Plan, zoneIn } from './plan.ts'
import { endVoter, loseDisk, newVoters, type Voter } from './process.ts'
import { Stamps } from './stamps.ts'
import { ANY_LIFE, type Authority, HANDLE, type Outcome, OWN, START, World } from './world.ts'

const WRITTEN = OWN

/** Looks on from beside a node, as a recorder does. A process that starts again is another node. */
export interface Beside {
  before(node: Node, now: number): void
  after(event: Event, effects: readonly Effect[], node: Node, now: number): void
}

/** Runs one plan to its end or to the first violation. `watch` hears of every event and effect, for a replay. */
export function simulate(
  plan: Plan,
  rules: Rules = SOUND,
  watch: ((line: string) => void) | null = null,
  beside: Beside | null = null,
): Outcome {
  const heeded = plan.heedsRank ? rules : { ...rules, heedsRank: () => false }
  const ids = Array.from({ length: plan.nodes }, (_, i) => present('abcdefgh'[i]))
  const world = new World(
    plan,
    newVoters(plan, ids),
    watch,
    (here: World<Voter>) => new Voters(here, ids, heeded, beside),
  )
  return world.run()
}

class Voters implements Authority<Voter> {
  readonly #world: World<Voter>
  readonly #ids: readonly string[]
  readonly #rules: Rules
  readonly #beside: Beside | null
  readonly #stamps: Stamps

  constructor(world: World<Voter>, ids: readonly string[], rules: Rules, beside: Beside | null) {
    this.#world = world
    this.#ids = ids
    this.#rules = rules
    this.#beside = beside
    this.#stamps = new Stamps(world.plan, rules, () => world.now)
  }

  start(process: Voter): readonly Effect[] {
    const { id, config, disk } = process
    const clock = this.#world.clock(process)
    const zone = zoneIn(this.#world.plan, id, process.life)
    const given = { ...config, ...zone, marks: marksFor(disk.voterId) }
    const quietFor = this.#stamps.begin(process)
    const { node, effects } = under(this.#rules, () => start(id, given, disk, clock, quietFor))
    process.node = node
    if (process.copy === null || this.#world.trouble.chance(0.3)) process.copy = disk
    this.#world.say(`${id} starts ${JSON.stringify(disk)}`)
    return effects
  }

  handle(node: Node, event: Event, clock: number): readonly Effect[] {
    this.#beside?.before(node, clock)
    const effects = under(this.#rules, () => handle(node, event, clock))
    this.#beside?.after(event, effects, node, clock)
    return effects
  }

  perform(process: Voter, index: number, effect: Effect): void {
    const { plan, trouble } = this.#world
    switch (effect.kind) {
      case 'persist':
        process.writing = effect.durable
        if (plan.write === 0) return this.#written(process, index)
        return this.#world.at(plan.write * trouble.fraction(), WRITTEN, index)
      case 'send':
        if (effect.message.type === 'ack') this.#stamps.acknowledges(process)
        return this.#transmit(index, this.#ids.indexOf(effect.to), effect.message)
      case 'left':
        // Gone for good some ticks later; the same directory may be started again.
        process.effectsLeft = trouble.below(4 * plan.nodes)
        return
      case 'stale-state':
        // R20: what a host does with a directory that is an old copy.
        endVoter(process, false)
        loseDisk(process)
        this.#world.at(LEASE / 10, START, index)
    }
  }

  happens(_: number, process: Voter, index: number, life: number): void {
    if (process.life === life && process.writing !== null) this.#written(process, index)
  }

  #written(process: Voter, index: number): void {
    if (process.writing !== null) process.disk = process.writing
    process.writing = null
    this.#stamps.written(process)
    this.#world.drain(process, index)
  }

  #transmit(from: number, to: number, message: Message): void {
    const { network, now } = this.#world
    const sender = get(this.#ids, from)
    if (to < 0) return this.#world.report('impossible', `${sender} sends to nobody: ${message.type}`)
    const event: Event = { kind: 'receive', from: sender, message }
    // Sessions and epochs tell what is old.
    for (const delay of network.delays(from, to)) this.#world.push(now + delay, HANDLE, to, ANY_LIFE, event)
  }

  inflict(fault: Fault, index: number): void {
    if (fault === 'wish') this.#wish(index)
    if (fault === 'suspend') this.#suspend()
  }

  leaving(): Event {
    return { kind: 'leave', forGood: this.#world.trouble.chance(this.#world.plan.forGood) }
  }

  /** Somebody wants other voters. */
  #wish(index: number): void {
    const wanted = this.#ids.filter(() => this.#world.trouble.chance(0.6))
    if (wanted.length === 0) wanted.push(get(this.#ids, index))
    this.#world.counts.wishes += 1
    this.#world.at(0, HANDLE, index, { kind: 'voters', wanted })
  }

  /** The machine of the first node sleeps, and its clock stands still. It has no callers: at a holder that is beyond the bound. */
  #suspend(): void {
    const { now, plan, trouble, counts, processes } = this.#world
    if (now > plan.quietFrom - 6 * LEASE) return
    const sleeps = 2 * LEASE * trouble.fraction()
    counts.suspends += 1
    get(processes, 0).offset -= get(processes, 0).rate * sleeps
    get(processes, 0).stood += get(processes, 0).rate * sleeps
    get(processes, 0).pausedUntil = now + sleeps
  }

  isOpen(node: Node, index: number): boolean {
    const { plan, isQuiet } = this.#world
    return !node.isLeaving && (index > 0 || plan.suspends === 0 || isQuiet)
  }

  crashed(process: Voter): void {
    const { trouble, plan, counts, isQuiet } = this.#world
    endVoter(process, trouble.chance(0.5))
    if (isQuiet || !trouble.chance(plan.lostState) || !this.#mayLose(process)) return
    counts.lostStates += 1
    loseDisk(process)
  }

  /** One comes back, perhaps, with an old copy of its directory. */
  fallQuiet(): void {
    const { trouble, plan, counts, processes } = this.#world
    const restored = trouble.below(plan.nodes)
    processes.forEach((process, index) => {
      process.effectsLeft = null
      if (process.node?.left || process.node?.isLeaving) endVoter(process, true)
      const isOld = process.copy !== null && process.copy.voterId === process.disk.voterId
      const mayBeOld = index === restored && isOld && this.#mayLose(process)
      if (mayBeOld && trouble.chance(plan.restored)) {
        counts.restored += 1
        endVoter(process, false)
        process.disk = process.copy as Durable
        // The stamp names the directory, and this is another one.
        process.stamp = null
      }
      if (process.node === null) this.#world.start(process, index)
    })
    if (plan.wishes > 0) this.#wish(trouble.below(plan.nodes))
  }

  #mayLose({ disk, config }: Voter): boolean {
    const configured = this.#world.processes.filter(({ id }) => config.voters.includes(id))
    return mayLose(
      this.#disks(),
      configured.map((voter) => voter.disk),
      disk,
    )
  }

  #disks(): Durable[] {
    return this.#world.processes.map(({ disk }) => disk)
  }

  /** A majority of voters' disks is gone: then the mesh halts by design (R26). */
  isHalted(): boolean {
    return isHalted(this.#disks())
  }
}

/**
 * The very code of the protocol, run once for every different process and event and remembered: worlds are many, but
 * what happens in one of its processes is mostly something that happened before.
 */
import { get, outOfBounds } from '@turnwise/core/bounds'
import { under } from '../broken/under.ts'
import type { Effect, Event } from '../src/protocol/events.ts'
import type { Message } from '../src/protocol/messages.ts'
import { handle, start } from '../src/protocol/node.ts'
import { giveUp } from '../src/protocol/proposer.ts'
import { blank, type Durable, type Id, type Session, withoutTable } from '../src/protocol/record.ts'
import type { Rules } from '../src/protocol/rules.ts'
import {
  type Config,
  type Heard,
  type Node,
  newHandling,
  sessionOf,
  suspicion,
} from '../src/protocol/state.ts'
import type { Bounds } from './bounds.ts'
import type { Happening, Outcome } from './happening.ts'
import { EVERYBODY, type Hears, WAITS } from './hears.ts'
import { acceptOf, type Item, isKept, isOwn } from './items.ts'
import { type Envelope, isDead, later, normalised, type Process, sharedMessage } from './process.ts'
import { ALL, type Reductions, reductionsFor } from './reductions.ts'
import { configOf, leaseKey, lockWithHomes, type Traits, traitsOf } from './setting.ts'
import { copyOf, Numbered } from './text.ts'

const ONE_THAT_WAS = 'one that was.1'

interface Delivery {
  readonly kind: 'receive'
  readonly envelope: Envelope
  readonly hears: Hears
}

export class Machine {
  readonly bounds: Bounds
  readonly rules: Rules
  readonly reductions: Reductions
  readonly lock: string
  readonly processes = new Numbered<Process>()
  readonly items = new Numbered<Item>()
  /** By the number of a thing: the place of its receiver, -1 for a fact. */
  readonly receivers: number[] = []
  /** By the number of a thing: whether it is a promise or an accept, which are gathered. */
  readonly isGathered: boolean[] = []
  /** Whether it may be answered by a node that does not change; and for an INSTALL its ballot. */
  readonly isAnswered: boolean[] = []
  readonly installs: (string | null)[] = []
  readonly #configs: Readonly<Record<Id, Config>>
  readonly #spied: Rules
  #from = 0
  readonly #outcomes: Map<number, Outcome>[] = []
  readonly #dead: [Map<number, boolean>, Map<number, boolean>][] = []
  readonly #forgotten: Map<number, number>[] = []
  readonly #traits: Traits[] = []
  readonly #without = { proposal: [] as number[], installed: [] as number[], ballot: [] as number[] }

  constructor(bounds: Bounds, rules: Rules, reductions: Reductions = ALL) {
    this.bounds = bounds
    this.rules = rules
    this.reductions = reductionsFor(reductions, bounds, rules)
    this.lock = lockWithHomes(bounds.homes)
    this.#configs = Object.fromEntries(bounds.nodes.map((id) => [id, configOf(id, bounds)]))
    this.#spied = {
      ...rules,
      enoughPromises: (highest, among) => {
        this.#from = highest.epoch
        return rules.enoughPromises(highest, among)
      },
    }
  }

  /** L1 to L3 speak of ballots only: they are asked where time does not matter, which allows more than any clock. */
  get isTimeless(): boolean {
    return Object.keys(this.bounds.asks).length === 0
  }

  /** Whether this session began view 1, with which the exploration starts. */
  hasBegunFirst({ voterId, k }: Session): boolean {
    return !this.bounds.genesis && k === 1 && voterId.endsWith('1')
  }

  /** A process that started for the first time, long ago. */
  blank(id: Id): number {
    const { node } = under(this.rules, () =>
      start(id, this.#configs[id] ?? outOfBounds(), blank(`${id}1`), Number.NEGATIVE_INFINITY),
    )
    const process = { node, disk: node.durable, asks: this.bounds.asks[id] ?? 0 }
    return this.processes.numberOf(this.#normalised(process))
  }

  #normalised(process: Process): Process {
    return normalised(process, this.rules, this.bounds, this.reductions)
  }

  numberOf(item: Item): number {
    const number = this.items.numberOf(item)
    if (number === this.receivers.length) {
      const isMessage = 'to' in item
      this.receivers.push(isMessage ? this.bounds.nodes.indexOf(item.to) : -1)
      const type = isMessage ? item.message.type : null
      this.isGathered.push(type === 'promise' || type === 'accepted')
      this.isAnswered.push(type === 'prepare' || type === 'install')
      this.installs.push(isMessage && item.message.type === 'install' ? item.message.ballot : null)
    }
    return number
  }

  run(process: number, happening: Happening): Outcome {
    const memory = (this.#outcomes[process] ??= new Map())
    const key = keyOf(happening)
    let outcome = memory.get(key)
    if (outcome === undefined) {
      outcome = this.#work(get(this.processes.list, process), happening)
      memory.set(key, outcome)
    }
    return outcome
  }

  deliver(process: number, item: number, hears: Hears = EVERYBODY): Outcome {
    const memory = (this.#outcomes[process] ??= new Map())
    const key = -1 - (64 * item + 1 + hears)
    let outcome = memory.get(key)
    if (outcome === undefined) {
      const envelope = this.items.list[item] as Envelope
      outcome = this.#work(get(this.processes.list, process), { kind: 'receive', envelope, hears })
      memory.set(key, outcome)
    }
    return outcome
  }

  isDead(process: number, item: number, remembers: boolean): boolean {
    const memory = (this.#dead[process] ??= [new Map(), new Map()])[remembers ? 1 : 0]
    let dead = memory.get(item)
    if (dead === undefined) {
      const envelope = this.items.list[item] as Envelope
      dead = isDead(get(this.processes.list, process), envelope, this.rules, remembers, this.reductions)
      memory.set(item, dead)
    }
    return dead
  }

  traitsOf(process: number): Traits {
    return (this.#traits[process] ??= traitsOf(get(this.processes.list, process), this.bounds))
  }

  /**
   * The process without what it owes to sessions that hold nothing and never will. It may then accept sooner: more can
   * happen, and nothing that anybody could miss.
   */
  withoutDebts(process: number, leases: readonly number[], key: number): number {
    const memory = (this.#forgotten[process] ??= new Map())
    let forgotten = memory.get(key)
    if (forgotten === undefined) {
      const before = get(this.processes.list, process)
      const kept = new Set(leases.map((lease, i) => leaseKey(get(this.bounds.nodes, i), lease)))
      forgotten = process
      if (Object.keys(before.node.owed).some((session) => !kept.has(session))) {
        const after = copyOf(before)
        for (const session of Object.keys(after.node.owed))
          if (!kept.has(session)) delete after.node.owed[session]
        forgotten = this.processes.numberOf(after)
      }
      memory.set(key, forgotten)
    }
    return forgotten
  }

  /** The process without something that nobody will ask for (forgetting.ts). */
  without(process: number, what: 'proposal' | 'installed' | 'ballot'): number {
    return (this.#without[what][process] ??= this.#makeWithout(process, what))
  }

  #makeWithout(process: number, what: 'proposal' | 'installed' | 'ballot'): number {
    const after = copyOf(get(this.processes.list, process))
    if (what !== 'ballot') after.node[what] = null
    else {
      const forgotten = (disk: Durable) => ({ ...disk, promised: { epoch: disk.promised.epoch, ballot: '' } })
      after.node.durable = forgotten(after.node.durable)
      return this.processes.numberOf(this.#normalised({ ...after, disk: forgotten(after.disk) }))
    }
    return this.processes.numberOf(this.#normalised(after))
  }

  /** The heartbeat that a process sends to another, where it arrives at once or never. */
  heartbeatOf(process: number, to: number): number | undefined {
    const { instant } = this.run(process, { kind: 'beat' })
    return instant.find(
      (number) =>
        this.receivers[number] === to && (this.items.list[number] as Envelope).message.type === 'heartbeat',
    )
  }

  /** R15: what another asks of a process that has begun a view of which that one may not have heard. */
  fetchFor(process: number, p: number, q: number): number | undefined {
    const { begun, durable } = get(this.processes.list, process).node
    if (begun === null || begun.epoch !== durable.promised.epoch) return undefined
    const { nodes } = this.bounds
    return this.numberOf({
      from: get(nodes, q),
      to: get(nodes, p),
      message: { type: 'fetch', epoch: begun.epoch },
    })
  }

  #work(before: Process, happening: Happening | Delivery): Outcome {
    const after = copyOf(before)
    if (happening.kind === 'later') {
      later(after)
      return { ...NOTHING, process: this.processes.numberOf(this.#normalised(after)) }
    }
    this.#from = 0
    try {
      if (isPatient(after, happening)) after.node.owed[ONE_THAT_WAS] = 1
      const happened = this.#happen(after, happening)
      delete after.node.owed[ONE_THAT_WAS]
      const isStart = happening.kind === 'restart' || happening.kind === 'lose disk'
      return this.#outcomeOf(before, happened, isStart)
    } catch (error) {
      return { ...NOTHING, impossible: error instanceof Error ? error.message : String(error) }
    }
  }

  #happen(process: Process, happening: Happening | Delivery): { process: Process; effects: Effect[] } {
    const { node } = process
    const { lock: name } = this
    const does = (event: Event) => ({ process, effects: under(this.#spied, () => handle(node, event, 0)) })
    switch (happening.kind) {
      case 'receive': {
        node.heard = this.#heard(node, happening.hears)
        const { from, message } = happening.envelope
        return does({ kind: 'receive', from, message })
      }
      case 'propose':
        if (node.proposal !== null) giveUp(newHandling(node, 0))
        if (this.reductions.ballotsByEpoch) node.ballots = happening.heard
        node.heard = this.#heard(node, EVERYBODY)
        for (const heard of Object.values(node.heard)) {
          heard.promised = happening.heard
          if (!happening.waits) heard.at = Number.NEGATIVE_INFINITY
        }
        return does({ kind: 'renew' })
      case 'beat':
        node.heard = this.#heard(node, EVERYBODY)
        return does({ kind: 'tick' })
      case 'wake':
      case 'leave':
        return does({ kind: happening.kind })
      case 'ask': {
        const asked = { ...process, asks: process.asks - 1 }
        const steals = this.bounds.thieves.includes(node.id)
        const caller = { caller: node.id, mode: 'exclusive', priority: 0, steals } as const
        return { ...does({ kind: 'request', name, ...caller }), process: asked }
      }
      case 'wish':
        return does({ kind: 'voters', wanted: this.bounds.wishes[node.id] ?? outOfBounds() })
      case 'release':
        return does({ kind: 'release', name, caller: node.id })
      case 'restart':
        return this.#restart(process, process.disk)
      default:
        return this.#restart(process, blank(`${node.id}2`))
    }
  }

  #restart(process: Process, disk: Durable): { process: Process; effects: Effect[] } {
    const { node, effects } = under(this.rules, () => start(process.node.id, process.node.config, disk, 0))
    return { process: { ...process, node, disk }, effects }
  }

  #heard(node: Node, hears: Hears): Record<Id, Heard> {
    const { nodes } = this.bounds
    const isHeard = (p: number) => hears === EVERYBODY || (hears & (1 << p)) > 0
    const heard: Omit<Heard, 'session'> = {
      at: 0,
      lease: 0,
      patience: suspicion(node),
      since: 0,
      begun: null,
      accepted: null,
      promised: 0,
      // Whom this node does not hear nobody does: else it would wait.
      suspects: nodes.filter((id, p) => id !== node.id && !isHeard(p)),
      wish: null,
      doubts: hears === EVERYBODY ? {} : { [node.id]: Number.NEGATIVE_INFINITY },
      aheadSince: null,
    }
    const others = nodes.filter((id, p) => id !== node.id && isHeard(p))
    // Which session it is does not matter here: one that has not ended, to which nothing is owed, and nobody else's.
    return Object.fromEntries(others.map((id) => [id, { ...heard, session: { voterId: `(${id})`, k: 1 } }]))
  }

  #outcomeOf(
    before: Process,
    { process, effects }: { process: Process; effects: Effect[] },
    isStart: boolean,
  ): Outcome {
    const { node } = process
    let { disk } = process
    let fence = 0
    let began = 0
    const happened: string[] = []
    const items = new Set<number>()
    const instant: number[] = []
    const note = (item: Item) => void items.add(this.numberOf(item))
    for (const effect of effects) {
      if (effect.kind === 'contradiction') return { ...NOTHING, impossible: effect.what }
      if (effect.kind === 'persist') disk = effect.durable
      if (effect.kind === 'lost' && effect.why === 'stolen') happened.push('a lock is stolen')
      if (effect.kind === 'grant') fence = fenceOf(effect.fence)
      if (effect.kind === 'begun') {
        began = effect.record.epoch
        if (node.holding > 0) happened.push('a hold is carried over a view')
        if (this.isTimeless && !this.hasBegunFirst(sessionOf(node))) {
          note({ fact: 'began', session: sessionOf(node), epoch: began })
        }
      }
      if (effect.kind !== 'send') continue
      const { to, message } = effect
      const isAnybodys = this.reductions.says && (message.type === 'copy' || message.type === 'out')
      const envelope = { from: isAnybodys ? to : node.id, to, message: sharedMessage(message) }
      if (this.#isInstant(message)) instant.push(this.numberOf(envelope))
      else if (isKept(envelope)) note(envelope)
      if (message.type !== 'install' || !isOwn(envelope) || !this.isTimeless) continue
      // Decided in this event, not said again.
      const { proposal, ballots } = before.node
      const isNew = proposal?.ballot === message.ballot ? proposal.record === null : ballots < node.ballots
      if (!isNew) continue
      note({
        fact: 'decided',
        record: withoutTable(message.record),
        ballot: message.ballot,
        from: this.#from,
      })
    }
    const accept = isStart ? null : acceptOf(before.node, node)
    if (accept !== null) note(accept)
    const after = this.processes.numberOf(this.#normalised({ ...process, disk }))
    return { process: after, items: [...items], instant, fence, began, happened, impossible: null }
  }

  #isInstant({ type }: Message): boolean {
    return !this.bounds.delays && (type === 'heartbeat' || type === 'ack' || type === 'fetch')
  }
}

/** Whether a voter that waits, or begins to, goes on waiting: it accepts when it is woken, or gets INSTALL once more. */
function isPatient({ node }: Process, happening: Happening | Delivery): boolean {
  if (happening.kind === 'wake') return false
  if (happening.kind !== 'receive') return node.closing !== null
  if (happening.hears >= WAITS) return true
  return node.closing !== null && happening.envelope.message.type !== 'install'
}

const KINDS = ['beat', 'wake', 'ask', 'release', 'leave', 'wish', 'restart', 'lose disk', 'later', 'propose']

/** Deliveries have keys below 0. */
function keyOf(happening: Happening): number {
  const kind = KINDS.indexOf(happening.kind)
  return happening.kind === 'propose' ? kind + 2 * happening.heard + (happening.waits ? 1 : 0) : kind
}

const NOTHING: Outcome = {
  process: 0,
  items: [],
  instant: [],
  fence: 0,
  began: 0,
  happened: [],
  impossible: null,
}

function fenceOf({ epoch, counter }: { epoch: number; counter: number }): number {
  return epoch * 1024 + counter
}

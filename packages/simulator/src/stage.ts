import {
  type AnyAlgorithm,
  type AnyProtocol,
  type Ask,
  type Here,
  ImpossibleError,
  isElection,
  type Message,
  type Mode,
  type NodeId,
  receiver,
} from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { requestOf, wishOf } from '@turnwise/core/resources'
import { askAtFirst, type Setup } from '@turnwise/core/setup'
import type { TraceEvent, UntimedEvent } from '@turnwise/core/trace/trace'
import { Agenda } from './agenda.ts'
import { Channels } from './channels.ts'
import { Jury } from './jury.ts'
import { EXCLUSIVE } from './load.ts'
import { requireRule } from './membership-faults.ts'

/** A message under way. */
export interface Envelope {
  readonly id: number
  readonly from: NodeId
  readonly to: NodeId
  readonly message: Message
}

type Status = 'idle' | 'waiting' | 'inside' | 'crashed' | 'absent'

/**
 * A world driven by hand: only commanded acts happen, and messages wait until a command delivers them, in any order.
 * Each act is one tick. A handler that draws gets 0. Scenarios are played on it.
 */
export class Stage {
  readonly events: TraceEvent[] = []
  readonly jury: Jury
  readonly states: object[]
  /** In the order in which they were sent. */
  underWay: Envelope[] = []
  readonly setup: Setup
  readonly #algorithm: AnyProtocol
  readonly #status: Status[]
  readonly #asks: Ask[]
  readonly #channels: Channels
  /** What the callers of crashed nodes were doing. A node that runs again inside is one too: for the judges it left with the crash. */
  readonly #orphans = new Map<NodeId, 'waiting' | 'inside'>()
  readonly #upgrading = new Set<NodeId>()
  /** Nodes that were told to leave and are still there. */
  readonly #leaving = new Set<NodeId>()
  readonly agenda = new Agenda()
  readonly #here: Here & { self: NodeId }
  #now = 0
  #messages = 0

  constructor(algorithm: AnyProtocol, setup: Setup) {
    this.#algorithm = algorithm
    this.setup = setup
    this.#channels = new Channels(setup.topology)
    this.jury = new Jury(algorithm, setup, (event) => this.events.push(event))
    this.states = Array.from({ length: setup.nodes }, (_, node) => algorithm.init(node, setup))
    this.#status = Array.from({ length: setup.nodes }, (_, node) =>
      setup.inside.includes(node) ? 'inside' : setup.absent.includes(node) ? 'absent' : 'idle',
    )
    this.#asks = Array.from({ length: setup.nodes }, (_, node) => askAtFirst(setup, node))
    for (const node of setup.inside) this.jury.began(node, get(this.#asks, node))
    this.#here = this.#place()
    for (const node of setup.dead) this.#die(node, { at: 0, is: 'crash', node })
    this.states.forEach((_, node) => {
      if (!this.#isAway(node)) this.#call(node, (state) => algorithm.start?.(state, this.#here))
    })
  }

  statusOf(node: NodeId): Status {
    return get(this.#status, node)
  }

  request(node: NodeId, ask: Ask = EXCLUSIVE): void {
    const algorithm = this.#exclusion()
    this.#expect(node, 'idle', 'ask')
    if (this.#leaving.has(node)) throw new InvalidInput(`node ${node} cannot ask: it is leaving`)
    this.#status[node] = 'waiting'
    this.#asks[node] = ask
    this.#act({ is: 'request', node, ...requestOf(ask) })
    this.jury.requested(this.#now, node, this.#now)
    this.#call(node, (state) => algorithm.request(state, this.#here, ask))
  }

  elect(node: NodeId): void {
    const algorithm = this.#algorithm
    if (!isElection(algorithm)) throw new InvalidInput(`${algorithm.facts.name} is no election`)
    this.#expect(node, 'idle', 'call an election')
    this.#status[node] = 'waiting'
    this.#act({ is: 'elect', node })
    this.jury.election.called(this.#now, node)
    this.#call(node, (state) => algorithm.elect(state, this.#here))
  }

  release(node: NodeId): void {
    const algorithm = this.#exclusion()
    this.#expect(node, 'inside', 'leave')
    this.#status[node] = 'idle'
    this.#act({ is: 'leave', node })
    if (!this.#orphans.delete(node)) this.jury.left(this.#now, node)
    this.#call(node, (state) => algorithm.release(state, this.#here))
  }

  downgrade(node: NodeId): void {
    const algorithm = this.#changes(node, 'downgrade', 'shared')
    this.jury.holds.exclusion.downgraded(node)
    this.#call(node, (state) => algorithm.downgrade?.(state, this.#here))
  }

  /** The node is inside to update, and enters once more when it is alone. */
  upgrade(node: NodeId): void {
    const algorithm = this.#changes(node, 'upgrade', 'exclusive')
    this.#upgrading.add(node)
    this.#call(node, (state) => algorithm.upgrade?.(state, this.#here))
  }

  #changes(node: NodeId, is: 'downgrade' | 'upgrade', mode: Mode): AnyAlgorithm {
    const algorithm = this.#exclusion()
    this.#expect(node, 'inside', is)
    const ask = get(this.#asks, node)
    if (algorithm[is] === undefined || (is === 'upgrade' ? ask.mode !== 'update' : ask.mode === 'shared'))
      throw new InvalidInput(`node ${node} cannot ${is}`)
    this.#asks[node] = { ...ask, mode }
    this.#act({ is, node })
    return algorithm
  }

  withdraw(node: NodeId): void {
    this.#expect(node, 'waiting', 'withdraw')
    const algorithm = this.#exclusion()
    if (algorithm.withdraw === undefined)
      throw new InvalidInput(`${algorithm.facts.name} cannot withdraw a request`)
    this.#status[node] = 'idle'
    this.jury.progress.settled(node)
    this.#act({ is: 'withdraw', node })
    this.#call(node, (state) => algorithm.withdraw?.(state, this.#here))
  }

  /** A message that cannot be delivered comes back, if the algorithm has a rule for that. */
  deliver(envelope: Envelope): void {
    const { id, from, to, message } = this.#take(envelope)
    const why = this.#obstacle(from, to)
    if (why === null) {
      this.#act({ is: 'receive', id, node: to })
      this.#call(to, (state) => receiver(this.#algorithm, message.type)(state, this.#here, message, from))
    } else {
      this.#act({ is: 'lose', id, node: to, why })
      this.#giveBack(envelope)
    }
    this.#settle()
  }

  /** Delivers such messages, oldest first, and those that they cause, until none is under way. */
  deliverAll(isMeant: (envelope: Envelope) => boolean = () => true): void {
    for (let next = this.underWay.find(isMeant); next !== undefined; next = this.underWay.find(isMeant))
      this.deliver(next)
  }

  /** Only a removed channel loses messages: an algorithm may send where the graph shows no channel. */
  #obstacle(from: NodeId, to: NodeId): 'crash' | 'absent' | 'cut' | null {
    const status = this.#status[to]
    if (status === 'crashed') return 'crash'
    if (status === 'absent') return 'absent'
    return this.setup.topology.linked(from, to) && !this.#channels.linked(from, to) ? 'cut' : null
  }

  #giveBack({ id, from, to, message }: Envelope): void {
    if (this.#algorithm.undelivered === undefined || this.#isAway(from)) return
    this.#act({ is: 'undelivered', id, node: from })
    this.#call(from, (state) => this.#algorithm.undelivered?.(state, this.#here, to, message))
  }

  #isAway(node: NodeId): boolean {
    return this.#status[node] === 'crashed' || this.#status[node] === 'absent'
  }

  drop(envelope: Envelope): void {
    const { id, to } = this.#take(envelope)
    this.#act({ is: 'lose', id, node: to, why: 'drop' })
    this.#settle()
  }

  #take(envelope: Envelope): Envelope {
    this.underWay = this.underWay.toSpliced(this.underWay.indexOf(envelope), 1)
    return envelope
  }

  duplicate(envelope: Envelope): void {
    this.underWay.push(envelope)
    this.#act({ is: 'duplicate', id: envelope.id })
  }

  timeout(node: NodeId, timer: string): void {
    if (!this.agenda.endTimer(node, timer))
      throw new InvalidInput(`node ${node} has no timer ${timer} running`)
    this.#act({ is: 'timeout', node, timer })
    this.#call(node, (state) => this.#algorithm.timeout?.(state, this.#here, timer))
    this.#settle()
  }

  proceed(node: NodeId): void {
    const step = this.agenda.takeStep(node)
    if (step === undefined) throw new InvalidInput(`node ${node} has nothing to proceed with`)
    this.#act({ is: 'proceed', node, step })
    this.#call(node, (state) => this.#algorithm.proceed?.(state, this.#here, step))
    this.#settle()
  }

  suspect(node: NodeId, peer: NodeId): void {
    this.#act({ is: 'suspect', node, peer })
    this.#call(node, (state) => this.#algorithm.suspect?.(state, this.#here, peer))
  }

  restore(node: NodeId, peer: NodeId): void {
    this.#act({ is: 'restore', node, peer })
    this.#call(node, (state) => this.#algorithm.restore?.(state, this.#here, peer))
  }

  /** The node joins, then both ends of each of its channels are told. */
  add(node: NodeId, sponsor: NodeId | null): void {
    requireRule(this.#algorithm, 'add')
    this.#expect(node, 'absent', 'join')
    this.#status[node] = 'idle'
    this.states[node] = this.#algorithm.init(node, this.setup)
    this.#act({ is: 'join', node, sponsor })
    this.#call(node, (state) => this.#algorithm.join?.(state, this.#here, sponsor))
    for (const peer of this.#channels.neighbours(node)) this.#tellEnds('linked', node, peer)
  }

  /** The node is told to leave; it is gone when nothing of it is under way. */
  remove(node: NodeId): void {
    requireRule(this.#algorithm, 'remove')
    this.#expect(node, 'idle', 'be removed')
    if (this.#leaving.has(node)) throw new InvalidInput(`node ${node} is leaving already`)
    this.#leaving.add(node)
    this.#act({ is: 'depart', node })
    this.#call(node, (state) => this.#algorithm.leave?.(state, this.#here))
    this.#settle()
  }

  link(a: NodeId, b: NodeId): void {
    requireRule(this.#algorithm, 'link')
    if (!this.#channels.link(a, b)) throw new InvalidInput(`nodes ${a} and ${b} have a channel already`)
    this.#tellEnds('linked', a, b)
  }

  unlink(a: NodeId, b: NodeId): void {
    requireRule(this.#algorithm, 'unlink')
    if (!this.#channels.unlink(a, b)) throw new InvalidInput(`nodes ${a} and ${b} have no channel`)
    this.#tellEnds('unlinked', a, b)
  }

  #tellEnds(what: 'linked' | 'unlinked', a: NodeId, b: NodeId): void {
    if (this.#status[a] === 'absent' || this.#status[b] === 'absent') return
    this.#tell(what, a, b)
    this.#tell(what, b, a)
  }

  #tell(what: 'linked' | 'unlinked', node: NodeId, peer: NodeId): void {
    if (this.#isAway(node) || this.#algorithm[what] === undefined) return
    this.#act({ is: what, node, peer })
    this.#call(node, (state) => this.#algorithm[what]?.(state, this.#here, peer))
  }

  /** Nodes that were told to leave are gone when no message from or to them, no timer and no step is left. */
  #settle(): void {
    for (const node of this.#leaving) {
      const isBusy =
        this.underWay.some(({ from, to }) => from === node || to === node) || this.agenda.isBusy(node)
      if (!isBusy) this.#gone(node)
    }
  }

  #gone(node: NodeId): void {
    this.#leaving.delete(node)
    this.#status[node] = 'absent'
    this.#act({ is: 'gone', node })
    for (const peer of this.#channels.neighbours(node)) this.#tell('unlinked', peer, node)
  }

  crash(node: NodeId): void {
    if (this.#isAway(node)) {
      throw new InvalidInput(`node ${node} cannot crash: it is ${this.#status[node]} already`)
    }
    const status = this.#status[node]
    if (status === 'inside' && !this.#orphans.has(node)) this.jury.left(this.#now, node)
    this.jury.progress.settled(node)
    if (status === 'waiting' || status === 'inside') this.#orphans.set(node, status)
    this.#upgrading.delete(node)
    this.#now += 1
    this.#die(node, { at: this.#now, is: 'crash', node })
  }

  #die(node: NodeId, event: TraceEvent): void {
    this.#status[node] = 'crashed'
    this.agenda.clear(node)
    this.jury.election.crashed(node)
    this.events.push(event)
    if (this.#leaving.has(node)) this.#gone(node)
  }

  restart(node: NodeId, memory: boolean): void {
    this.#expect(node, 'crashed', 'restart')
    // A node with memory still has its request under way, or is still inside. The driver of the stage releases the entry.
    this.#status[node] = (memory && this.#orphans.get(node)) || 'idle'
    if (this.#status[node] !== 'inside') this.#orphans.delete(node)
    this.jury.election.restarted(node)
    if (!memory) this.states[node] = this.#algorithm.init(node, this.setup)
    this.#act({ is: 'restart', node, memory })
    this.#call(node, (state) => this.#algorithm.restart?.(state, this.#here, memory))
  }

  #exclusion(): AnyAlgorithm {
    if (isElection(this.#algorithm)) {
      throw new InvalidInput(`${this.#algorithm.facts.name} is an election: no node enters`)
    }
    return this.#algorithm
  }

  #expect(node: NodeId, status: Status, what: string): void {
    // Rule 10 of the contract: a node that upgrades is neither released nor downgraded.
    const actual = status === 'inside' && this.#upgrading.has(node) ? 'upgrading' : this.#status[node]
    if (actual !== status) throw new InvalidInput(`node ${node} cannot ${what}: it is ${actual}`)
  }

  #act(event: UntimedEvent): void {
    this.#now += 1
    this.#record(event)
  }

  #record(event: UntimedEvent): void {
    this.events.push({ at: this.#now, ...event })
  }

  #call(node: NodeId, handler: (state: object) => void): void {
    this.#here.self = node
    handler(get(this.states, node))
  }

  #send(from: NodeId, to: readonly NodeId[], broadcast: boolean, message: Message): void {
    if (!broadcast && to[0] === from)
      throw new ImpossibleError(`node ${from} sends ${message.type} to node ${from}`)
    this.#messages += 1
    const id = this.#messages
    this.jury.cost.sent(message.type)
    this.#record({ is: 'send', id, from, to: broadcast ? null : get(to, 0), message })
    for (const receiver of to) this.underWay.push({ id, from, to: receiver, message })
  }

  #enter(node: NodeId, fence: number): void {
    if (this.#status[node] !== 'waiting' && !this.#upgrading.has(node))
      return this.jury.rules.add(this.#now, [node], `node ${node} enters without having asked`)
    this.#status[node] = 'inside'
    const ask = get(this.#asks, node)
    this.#record({ is: 'enter', node, ...wishOf(ask), fence })
    if (this.#upgrading.delete(node)) this.jury.upgraded(this.#now, node, fence)
    else this.jury.entered(this.#now, node, ask, fence)
  }

  #elected(node: NodeId, coordinator: NodeId): void {
    this.#record({ is: 'elected', node, coordinator })
    if (!isElection(this.#algorithm)) return
    this.#status[node] = 'idle'
    this.jury.election.elected(this.#now, node, coordinator)
  }

  #place(): Here & { self: NodeId } {
    const { nodes } = this.setup
    const everyone = Array.from({ length: nodes }, (_, node) => node)
    const ordered = this.#algorithm.facts.medium === 'ordered broadcast'
    const here: Here & { self: NodeId } = {
      self: 0,
      setup: this.setup,
      send: (to, message) => this.#send(here.self, [to], false, message),
      sendToOthers: (message) => {
        for (const to of everyone) if (to !== here.self) here.send(to, message)
      },
      broadcast: (message) => {
        const listeners = ordered ? everyone : everyone.filter((node) => node !== here.self)
        this.#send(here.self, listeners, true, message)
      },
      enter: (fence) => this.#enter(here.self, fence),
      elected: (coordinator) => this.#elected(here.self, coordinator),
      setTimer: (timer, delay) => this.agenda.setTimer(here.self, timer, delay, this.#now),
      cancelTimer: (timer) => void this.agenda.endTimer(here.self, timer),
      proceed: (step) => this.agenda.addStep(here.self, step),
      random: () => 0,
      because: (words, values = {}) => this.#record({ is: 'because', node: here.self, words, values }),
    }
    return here
  }
}

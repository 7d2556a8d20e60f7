import type { Ask, Message, Mode, NodeId } from '@turnwise/core/algorithm'
import type { Link } from '@turnwise/core/faults'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Ahead, aheadIn, isMeant, isOwnAct, type OwnAct } from './ahead.ts'
import { Callers } from './callers.ts'
import type { Dispatcher } from './dispatcher.ts'
import { DELIVER, type Engine, LEAVE, ticks } from './engine.ts'
import type { Pending } from './event-queue.ts'
import type { Failures, Inhabitants } from './failures.ts'
import type { Transmission } from './transmission.ts'

/** What a user does to a run between two of its events. */
export type Act =
  | { readonly does: 'request'; readonly node: NodeId; readonly mode: Mode }
  | { readonly does: 'elect' | 'release' | 'withdraw'; readonly node: NodeId }
  | { readonly does: 'crash' | 'pause' | 'resume'; readonly node: NodeId }
  | { readonly does: 'restart'; readonly node: NodeId; readonly memory: boolean }
  /** One copy of a message: a broadcast has one for each listener. */
  | { readonly does: 'deliver' | 'drop' | 'duplicate'; readonly id: number; readonly to: NodeId }
  /** In units of time. */
  | { readonly does: 'delay'; readonly id: number; readonly to: NodeId; readonly by: number }
  /** One direction of a channel. */
  | { readonly does: 'cut' | 'heal'; readonly from: NodeId; readonly to: NodeId }
  /** What a node has before it happens now. */
  | OwnAct

interface Parts {
  readonly engine: Engine
  readonly transmission: Transmission
  readonly failures: Failures
  readonly dispatcher: Dispatcher
  readonly inhabitants: Inhabitants
}

/**
 * Hands in a run. What they do is recorded like everything else, and a run with the same hands at the same moments is the
 * same run. An act that is impossible at this moment is refused, and changes nothing.
 */
export class Hands {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Acts at this time, in ticks, or as near to it as the events before and after allow. */
  act(act: Act, at: number): void {
    const { engine, dispatcher } = this.#parts
    const { nodes } = engine.setup
    for (const node of nodesOf(act)) {
      if (!(Number.isInteger(node) && node >= 0 && node < nodes))
        throw new InvalidInput(`"${node}" is not a node from 0 to ${nodes - 1}`)
    }
    const before = engine.now
    // What goes round in circles may end now.
    engine.quiet = 0
    engine.now = Math.min(Math.max(before, at), Math.max(before, engine.queue.nextTime))
    try {
      this.#act(act)
    } catch (error) {
      engine.now = before
      throw error
    }
    dispatcher.settle()
  }

  /** What nodes have before them, besides messages; the earliest first. */
  ahead(): Ahead[] {
    const { engine, transmission } = this.#parts
    return aheadIn({ engine, timers: transmission.timers })
  }

  #act(act: Act): void {
    if (isOwnAct(act)) return this.#bringForward(act)
    switch (act.does) {
      case 'request':
        return this.#request(act.node, { mode: act.mode, priority: 0 })
      case 'elect':
      case 'release':
      case 'withdraw':
        return this.#want(act.does, act.node)
      case 'crash':
      case 'restart':
      case 'pause':
      case 'resume':
        return this.#fail(act)
      case 'cut':
      case 'heal':
        return this.#cut(act.does, { from: act.from, to: act.to })
      default:
        return this.#handle(act)
    }
  }

  #callers(what: string): Callers {
    const { inhabitants, engine } = this.#parts
    if (!(inhabitants instanceof Callers))
      throw new InvalidInput(`no node can ${what}: ${engine.algorithm.facts.name} is an election`)
    return inhabitants
  }

  #request(node: NodeId, ask: Ask): void {
    const callers = this.#callers('ask')
    const { facts } = this.#parts.engine.algorithm
    this.#requireAwake(node, 'ask')
    if (ask.mode === 'shared' && !('sharedMode' in facts && facts.sharedMode))
      throw new InvalidInput(`${facts.name} has no shared mode`)
    if (callers.isBusy(node) || !callers.isOpen(node))
      throw new InvalidInput(`node ${node} cannot ask: it has a request already, or is leaving`)
    callers.askByHand(node, ask)
  }

  #want(does: 'elect' | 'release' | 'withdraw', node: NodeId): void {
    const { engine, inhabitants } = this.#parts
    this.#requireAwake(node, does)
    if (does === 'elect') {
      if (inhabitants.elect === undefined)
        throw new InvalidInput(`${engine.algorithm.facts.name} is no election`)
      if (engine.jury.election.isOpen(node)) throw new InvalidInput(`node ${node} has called one already`)
      return inhabitants.elect(node)
    }
    const callers = this.#callers(does)
    if (does === 'withdraw') {
      if (!callers.isWaiting(node)) throw new InvalidInput(`node ${node} does not wait`)
      return callers.withdraw(node)
    }
    const incarnation = engine.incarnation[node]
    const isItsLeave = ({ kind, node: who, id }: Pending) =>
      kind === LEAVE && who === node && id === incarnation
    if (!callers.isInside(node) || this.#take(isItsLeave) === null)
      throw new InvalidInput(`node ${node} is not inside`)
    engine.happens(LEAVE, node, 0)
    callers.leave(node)
  }

  #bringForward(act: OwnAct): void {
    const { engine, transmission, dispatcher } = this.#parts
    this.#requireAwake(act.node, 'act')
    const event = this.#take((one) => isMeant(one, act, { engine, timers: transmission.timers }))
    if (event === null) throw new InvalidInput(`node ${act.node} has no such ${act.does} before it`)
    dispatcher.handleNow(event)
  }

  /** Takes the earliest such event from the queue, if there is one. */
  #take(isIt: (event: Pending) => boolean): Pending | null {
    let taken: Pending | null = null
    this.#parts.engine.queue.edit((event) => {
      if (taken !== null || !isIt(event)) return event.time
      taken = event
      return null
    })
    return taken
  }

  #fail(act: Extract<Act, { does: 'crash' | 'pause' | 'resume' } | { does: 'restart' }>): void {
    const { engine, failures } = this.#parts
    const { node, does } = act
    const at = engine.now
    const text = `${does}:${node} by hand`
    switch (does) {
      case 'crash':
        if (engine.alive[node] === 0) throw new InvalidInput(`node ${node} is down already`)
        return failures.begin({ text, kind: 'crash', node, at })
      case 'restart':
        if (engine.alive[node] === 1 || engine.present[node] === 0)
          throw new InvalidInput(`node ${node} has not crashed`)
        return failures.begin({ text, kind: 'restart', node, at, memory: act.memory })
      case 'pause':
        if (engine.alive[node] === 0 || failures.isPaused(node))
          throw new InvalidInput(`node ${node} is down or paused already`)
        return failures.begin({ text, kind: 'pause', node, at, until: Number.POSITIVE_INFINITY })
      case 'resume':
        if (!failures.isPaused(node)) throw new InvalidInput(`node ${node} is not paused`)
        return failures.resume(node)
    }
  }

  #cut(does: 'cut' | 'heal', link: Link): void {
    const { failures, transmission } = this.#parts
    const { from, to } = link
    if (from === to) throw new InvalidInput(`a channel leads from ${from} to another node`)
    if (does === 'heal' && !transmission.network.isCut(link))
      throw new InvalidInput(`${from}>${to} is not cut`)
    if (does === 'heal') return failures.heal(link)
    // What the schedule has cut already stays cut until a hand heals it.
    const text = `cut:${from}>${to} by hand`
    failures.begin({ text, kind: 'cut', links: [link], at: 0, until: Number.POSITIVE_INFINITY })
  }

  #handle(act: Extract<Act, { id: number }>): void {
    const { engine, transmission } = this.#parts
    const { id, to } = act
    if (act.does === 'deliver') this.#requireAwake(to, 'receive')
    if (act.does === 'delay' && !(act.by > 0 && Number.isFinite(act.by)))
      throw new InvalidInput(`"${act.by}" is not a delay: a number, more than 0`)
    const { queue } = engine
    const isIt = (event: Pending) => event.kind === DELIVER && event.id === id && event.node === to
    if (act.does === 'deliver' && this.#isBehindAnother(isIt))
      throw new InvalidInput(`messages keep their order here, and an earlier one to ${to} comes first`)
    const letter = this.#take(isIt)
    if (letter === null) throw new InvalidInput(`message ${id} to ${to} is not under way`)
    const { time, other: from } = letter
    const message = letter.payload as Message
    const putBack = (when: number) => queue.push(when, DELIVER, to, from, id, message)
    switch (act.does) {
      case 'deliver':
        engine.happens(DELIVER, to, from)
        return transmission.deliver(to, from, id, message)
      case 'drop':
        engine.happens(DELIVER, to, from)
        engine.jury.cost.landed()
        engine.record?.({ at: engine.now, is: 'lose', id, node: to, why: 'drop' })
        return
      case 'duplicate':
        putBack(time)
        engine.record?.({ at: engine.now, is: 'duplicate', id })
        engine.jury.cost.tookOff(1)
        engine.schedule(transmission.network.arrival(engine.now, from, to), DELIVER, to, from, id, message)
        return
      case 'delay':
        return this.#delay(letter, time + ticks(act.by))
    }
  }

  /** Whether two messages must arrive in the order in which they were sent. */
  #keepOrder(one: Pending, other: Pending): boolean {
    const { config, algorithm } = this.#parts.engine
    if (other.kind !== DELIVER || one.node !== other.node) return false
    if (algorithm.facts.medium === 'ordered broadcast') return true
    return config.channels === 'fifo' && one.other === other.other
  }

  #isBehindAnother(isIt: (event: Pending) => boolean): boolean {
    const earlier: Pending[] = []
    let isBehind: boolean | null = null
    this.#parts.engine.queue.edit((event) => {
      if (isBehind === null && isIt(event)) isBehind = earlier.some((other) => this.#keepOrder(event, other))
      earlier.push(event)
      return event.time
    })
    return isBehind === true
  }

  /** Messages that must not overtake it, and would, wait behind it. */
  #delay(letter: Pending, until: number): void {
    const { queue } = this.#parts.engine
    const behind: Pending[] = []
    queue.edit((event) => {
      const overtakes = event.time >= letter.time && event.time < until
      if (!overtakes || !this.#keepOrder(letter, event)) return event.time
      behind.push(event)
      return null
    })
    for (const { kind, node, other, id, payload } of [letter, ...behind])
      queue.push(until, kind, node, other, id, payload)
    this.#parts.transmission.network.holdBack(letter.other, letter.node, until)
  }

  #requireAwake(node: NodeId, what: string): void {
    const { engine, failures } = this.#parts
    if (engine.alive[node] === 0) throw new InvalidInput(`node ${node} cannot ${what}: it is down`)
    if (failures.isPaused(node)) throw new InvalidInput(`node ${node} cannot ${what}: it is paused`)
  }
}

function nodesOf(act: Act): NodeId[] {
  if ('from' in act) return [act.from, act.to]
  return ['to' in act ? act.to : act.node]
}

import { type Here, ImpossibleError, type Message, type NodeId } from '@turnwise/core/algorithm'
import { randomStream } from '@turnwise/core/random'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { DELIVER, type Engine, NOTICE, TIMER, ticks } from './engine.ts'
import type { Inhabitants } from './failures.ts'
import { Network } from './network.ts'
import { Timers } from './running-timers.ts'

type Loss = Extract<TraceEvent, { is: 'lose' }>['why']

/** Carries out what handlers ask for, and brings messages to them. */
export class Transmission {
  readonly network: Network
  readonly timers = new Timers()
  readonly #engine: Engine
  #messages = 0

  constructor(engine: Engine, inhabitants: Inhabitants) {
    const { setup, seed, latency, channels, faults } = engine.config
    this.#engine = engine
    this.network = new Network({
      nodes: setup.nodes,
      latency,
      channels,
      faults,
      types: Object.keys(engine.algorithm.receive),
      latencyRandom: randomStream(seed, 'latency'),
      faultRandom: randomStream(seed, 'faults'),
      fired: (fault) => engine.firedFaults.add(fault),
    })
    engine.here = this.#place(inhabitants)
  }

  deliver(node: NodeId, from: NodeId, id: number, message: Message): void {
    const engine = this.#engine
    engine.jury.cost.landed()
    if (engine.alive[node] === 0) {
      return this.#lose(id, from, node, message, engine.present[node] === 0 ? 'absent' : 'crash')
    }
    if (this.network.losesNow(from, node)) return this.#lose(id, from, node, message, 'cut')
    engine.record?.({ at: engine.now, is: 'receive', id, node })
    engine.receive(node, from, message)
  }

  #send(from: NodeId, to: NodeId, message: Message): void {
    const engine = this.#engine
    if (!(Number.isInteger(to) && to >= 0 && to < engine.setup.nodes) || to === from) {
      throw new ImpossibleError(`node ${from} sends ${message.type} to node ${to}`)
    }
    const id = this.#sent(from, to, message)
    if (this.network.isHarmless) {
      engine.jury.cost.tookOff(1)
      engine.schedule(this.network.arrival(engine.now, from, to), DELIVER, to, from, id, message)
    } else this.#risk(id, from, to, message)
  }

  #sent(from: NodeId, to: NodeId | null, message: Message): number {
    const engine = this.#engine
    this.#messages += 1
    engine.jury.cost.sent(message.type)
    engine.record?.({ at: engine.now, is: 'send', id: this.#messages, from, to, message })
    return this.#messages
  }

  #risk(id: number, from: NodeId, to: NodeId, sent: Message): void {
    const engine = this.#engine
    const { arrivals, lost, message } = this.network.fate(engine.now, from, to, sent)
    if (lost !== null) return this.#lose(id, from, to, sent, lost)
    if (message !== sent) engine.record?.({ at: engine.now, is: 'corrupt', id, message })
    if (arrivals.length > 1) engine.record?.({ at: engine.now, is: 'duplicate', id })
    engine.jury.cost.tookOff(arrivals.length)
    for (const arrival of arrivals) engine.schedule(arrival, DELIVER, to, from, id, message)
  }

  /** A message dropped on the way is lost in silence; one that meets a cut or a dead node can be noticed. */
  #lose(id: number, from: NodeId, node: NodeId, message: Message, why: Loss): void {
    const engine = this.#engine
    engine.record?.({ at: engine.now, is: 'lose', id, node, why })
    if (why === 'drop' || engine.algorithm.undelivered === undefined) return
    engine.schedule(engine.now, NOTICE, from, node, id, message)
  }

  #broadcast(from: NodeId, message: Message): void {
    const engine = this.#engine
    const id = this.#sent(from, null, message)
    const ordered = engine.algorithm.facts.medium === 'ordered broadcast'
    for (let to = 0; to < engine.setup.nodes; to += 1) {
      if (ordered) {
        engine.jury.cost.tookOff(1)
        engine.schedule(this.network.mediumArrival(engine.now, from, to), DELIVER, to, from, id, message)
      } else if (to !== from) this.#risk(id, from, to, message)
    }
  }

  #place(inhabitants: Inhabitants): Here & { self: NodeId } {
    const engine = this.#engine
    const random = randomStream(engine.config.seed, 'algorithm')
    const here: Here & { self: NodeId } = {
      self: 0,
      setup: engine.setup,
      send: (to, message) => this.#send(here.self, to, message),
      sendToOthers: (message) => {
        for (let to = 0; to < engine.setup.nodes; to += 1)
          if (to !== here.self) this.#send(here.self, to, message)
      },
      broadcast: (message) => this.#broadcast(here.self, message),
      enter: (fence) => inhabitants.entered(here.self, fence),
      elected: (coordinator) => {
        engine.record?.({ at: engine.now, is: 'elected', node: here.self, coordinator })
        inhabitants.elected?.(here.self, coordinator)
      },
      setTimer: (timer, delay) => {
        here.cancelTimer(timer)
        const id = this.timers.start(here.self, timer)
        engine.schedule(engine.now + Math.max(1, ticks(delay)), TIMER, here.self, 0, id, timer)
      },
      cancelTimer: (timer) => {
        if (this.timers.cancel(here.self, timer)) engine.live -= 1
      },
      proceed: (step) => engine.proceed(here.self, step),
      random: (bound) => random.below(bound),
    }
    const { record } = engine
    if (record !== null)
      here.because = (words, values = {}) =>
        record({ at: engine.now, is: 'because', node: here.self, words, values })
    return here
  }
}

/** Nodes driven by hand: messages arrive at once or not at all, and time passes when the script says so. */
import type { Mode } from '@turnwise/core/algorithm'
import type { Message } from '../src/protocol/messages.ts'
import { handle, start } from '../src/protocol/node.ts'
import { blank, type Durable } from '../src/protocol/record.ts'
import type { Rules } from '../src/protocol/rules.ts'
import type { Effect, Event, Hold, Node } from '../src/protocol/state.ts'
import { exclusion } from './simulation/judge.ts'
import { LEASE } from './simulation/plan.ts'

type Filter = (from: string, to: string, message: Message) => boolean

export class Script {
  now = 0
  /** What arrives at once; the rest is lost, but for what is held back until `letGo`. */
  passes: Filter = () => true
  holdsBack: Filter = () => false
  readonly nodes: Record<string, Node> = {}
  readonly #disks: Record<string, Durable> = {}
  readonly #ids: readonly string[]
  readonly #rules: Rules
  readonly #under: { from: string; to: string; message: Message }[] = []
  readonly #held: { from: string; to: string; message: Message }[] = []

  constructor(ids: readonly string[], rules: Rules) {
    this.#ids = ids
    this.#rules = rules
    for (const id of ids) {
      this.#disks[id] = blank(`${id}1`)
      this.restart(id)
    }
  }

  restart(id: string): void {
    const settings = { algorithm: 'central-coordinator', lease: LEASE, drift: 0 }
    const config = { peers: this.#ids, voters: this.#ids, settings, localTurns: 16, roundTrip: 4 }
    const { node, effects } = start(id, config, this.#disks[id], this.now, this.#rules)
    this.nodes[id] = node
    this.#perform(id, effects)
  }

  /** Back with an empty disk, as another voter. */
  loseDisk(id: string): void {
    this.#disks[id] = blank(`${id}2`)
    this.restart(id)
  }

  request(id: string, name: string, caller: string, mode: Mode = 'exclusive'): void {
    this.do(id, { kind: 'request', name, caller, mode, priority: 0, steals: false })
  }

  /** Who holds a name at a node. */
  holds(id: string, name: string): readonly Hold[] {
    return this.nodes[id].names.get(name)?.seats.flatMap(({ holds }) => holds) ?? []
  }

  do(id: string, event: Event): void {
    this.#perform(id, handle(this.nodes[id], event, this.now, this.#rules))
    for (let next = this.#under.shift(); next !== undefined; next = this.#under.shift()) {
      const { from, to, message } = next
      this.#perform(to, handle(this.nodes[to], { kind: 'receive', from, message }, this.now, this.#rules))
    }
  }

  /** Two ticks, so that there is a heartbeat among them. */
  beat(...ids: string[]): void {
    for (const id of ids) {
      this.do(id, { kind: 'tick' })
      this.do(id, { kind: 'tick' })
    }
  }

  letGo(): void {
    for (const { from, to, message } of this.#held.splice(0)) {
      this.do(to, { kind: 'receive', from, message })
    }
  }

  /** What the judge says now. */
  get twoHolders(): string | null {
    const running = Object.values(this.nodes).map((node) => ({ node, clock: this.now }))
    return exclusion(
      running,
      Object.values(this.nodes).flatMap(({ names }) => [...names.keys()]),
    )
  }

  #perform(id: string, effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'persist') this.#disks[id] = effect.durable
      if (effect.kind !== 'send') continue
      const { to, message } = effect
      if (this.holdsBack(id, to, message)) this.#held.push({ from: id, to, message })
      else if (this.passes(id, to, message)) this.#under.push({ from: id, to, message })
    }
  }
}

/** Nodes driven by hand: messages arrive at once or not at all, and time passes when the script says so. */
import type { Mode } from '@turnwise/core/algorithm'
import { present } from '../../../test/present.ts'
import { under } from '../broken/under.ts'
import { dictionary } from '../src/protocol/dictionary.ts'
import type { Effect, Event } from '../src/protocol/events.ts'
import type { Fence } from '../src/protocol/fence.ts'
import type { Message } from '../src/protocol/messages.ts'
import { handle, start } from '../src/protocol/node.ts'
import { blank, type Durable } from '../src/protocol/record.ts'
import type { Rules } from '../src/protocol/rules.ts'
import type { CallerId, Config, Hold, Node } from '../src/protocol/state.ts'
import { marksFor } from './marks.ts'
import { exclusion } from './simulation/judge.ts'
import { LEASE } from './simulation/plan.ts'
import '../check/texts.ts'

type Filter = (from: string, to: string, message: Message) => boolean

const SETTINGS = { algorithm: 'central-coordinator', lease: LEASE, drift: 0 }

export class Script {
  now = 0
  /** Which messages arrive at once. Those that `holdsBack` chooses wait until `letGo`; all others are lost. */
  passes: Filter = () => true
  holdsBack: Filter = () => false
  readonly nodes = dictionary<Node>()
  /** Every effect so far but `send`, with the node and the time. */
  readonly effects: { readonly id: string; readonly at: number; readonly effect: Effect }[] = []
  /** What was sent, arrived or not. */
  readonly sent: { readonly from: string; readonly to: string; readonly message: Message }[] = []
  readonly disks = dictionary<Durable>()
  readonly #config: Config
  /** What differs for one node. */
  own: Readonly<Record<string, Partial<Config>>>
  readonly #lives = dictionary<number>()
  readonly #rules: Rules
  readonly #under: { from: string; to: string; message: Message }[] = []
  readonly #held: { from: string; to: string; message: Message }[] = []

  /** All are voters and new, unless the configuration says otherwise. */
  constructor(
    ids: readonly string[],
    rules: Rules,
    config: Partial<Config> = {},
    own: Readonly<Record<string, Partial<Config>>> = {},
  ) {
    this.#config = {
      peers: ids,
      voters: ids,
      firstStart: ids,
      settings: SETTINGS,
      localTurns: 16,
      roundTrip: 4,
      ...config,
    }
    this.own = own
    this.#rules = rules
    for (const id of ids) this.add(id)
  }

  /** A process with an empty disk, as another voter than any before. */
  add(id: string): void {
    this.#lives[id] = (this.#lives[id] ?? 0) + 1
    this.disks[id] = blank(`${id}${this.#lives[id]}`)
    this.restart(id)
  }

  /** `quietFor`: as its stamp tells. */
  restart(id: string, quietFor = 0): void {
    const marks = marksFor(this.disk(id).voterId)
    const config = { ...this.#config, marks, ...(Object.hasOwn(this.own, id) && this.own[id]) }
    const { node, effects } = under(this.#rules, () => start(id, config, this.disk(id), this.now, quietFor))
    this.nodes[id] = node
    this.#perform(id, effects)
  }

  /** Of a process that runs. */
  node(id: string): Node {
    return present(this.nodes[id])
  }

  disk(id: string): Durable {
    return present(this.disks[id])
  }

  /** Nothing arrives at it any more. */
  kill(id: string): void {
    delete this.nodes[id]
  }

  /** Back with an empty disk, as another voter. */
  loseDisk(id: string): void {
    this.add(id)
  }

  request(id: string, name: string, caller: string = id, mode: Mode = 'exclusive'): void {
    this.do(id, { kind: 'request', name, caller, mode, priority: 0, steals: false })
  }

  /** Who holds a name at a node. */
  holds(id: string, name: string): readonly Hold[] {
    return (
      this.node(id)
        .names.get(name)
        ?.seats.flatMap(({ holds }) => holds) ?? []
    )
  }

  do(id: string, event: Event): void {
    this.#perform(id, this.#handle(id, event))
    for (let next = this.#under.shift(); next !== undefined; next = this.#under.shift()) {
      const { from, to, message } = next
      if (!(to in this.nodes)) continue
      this.#perform(to, this.#handle(to, { kind: 'receive', from, message }))
    }
  }

  #handle(id: string, event: Event): readonly Effect[] {
    return under(this.#rules, () => handle(this.node(id), event, this.now))
  }

  /** Two ticks, so that there is a heartbeat among them. */
  beat(...ids: string[]): void {
    for (const id of ids) {
      this.do(id, { kind: 'tick' })
      this.do(id, { kind: 'tick' })
    }
  }

  /** So many rounds of ticks, one after another and a tenth of a lease apart. */
  pass(rounds: number): void {
    for (let round = 0; round < rounds; round += 1) {
      this.now += LEASE / 10
      for (const id of Object.keys(this.nodes)) this.do(id, { kind: 'tick' })
    }
  }

  release(id: string, name: string, caller = id): void {
    this.do(id, { kind: 'release', name, caller })
  }

  /** Grants so far of a name, as who and fence. */
  grants(name: string): { readonly id: string; readonly caller: CallerId; readonly fence: Fence }[] {
    return this.effects.flatMap(({ id, effect }) =>
      effect.kind === 'grant' && effect.name === name
        ? [{ id, caller: effect.caller, fence: effect.fence }]
        : [],
    )
  }

  /** Effects of one kind at one node. */
  of<Kind extends Effect['kind']>(id: string, kind: Kind): Extract<Effect, { kind: Kind }>[] {
    return this.effects.flatMap((each) =>
      each.id === id && each.effect.kind === kind ? [each.effect as Extract<Effect, { kind: Kind }>] : [],
    )
  }

  /** The epoch each node has begun; null without a view. */
  get views(): Record<string, number | null> {
    return Object.fromEntries(Object.entries(this.nodes).map(([id, { begun }]) => [id, begun?.epoch ?? null]))
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
      if (effect.kind === 'persist') this.disks[id] = effect.durable
      if (effect.kind !== 'send') {
        this.effects.push({ id, at: this.now, effect })
        continue
      }
      const { to, message } = effect
      this.sent.push({ from: id, to, message })
      if (this.holdsBack(id, to, message)) this.#held.push({ from: id, to, message })
      else if (this.passes(id, to, message)) this.#under.push({ from: id, to, message })
    }
  }
}

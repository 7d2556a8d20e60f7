import { type AnyProtocol, isElection, type Message, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type DataShapes, reshape, type Shape } from '@turnwise/core/shape'
import { BeyondReach } from './beyond-reach.ts'
import type { Instance } from './instance.ts'
import type { Local } from './local.ts'

/** A message under way to one receiver. */
export interface Envelope {
  readonly from: NodeId
  readonly to: NodeId
  readonly message: Message
  /** Heard from a broadcast medium that keeps all broadcasts in one order. */
  readonly medium: boolean
}

/** One clock, or one node's clock of that name. */
interface Domain {
  readonly clock: string
  readonly owner: NodeId | null
}

/**
 * Every local state and every message that occurs, each with a small number. A world is then a short list of
 * numbers, and what is costly (calling a handler, shifting a clock) is done once per different part.
 *
 * Values of a clock matter only by their differences, so a world can be shifted: `least` tells the smallest
 * value of each clock in a part, `shifted` gives the part with that much subtracted. Clocks in `erased` are
 * written to and never read by the rules (fences); all their values count as equal.
 */
export class Parts {
  readonly locals: Local[] = []
  readonly envelopes: Envelope[] = []
  readonly domains: readonly Domain[]
  /** Messages of one group arrive in the order in which they stand; different groups overtake each other. */
  readonly groups: number[] = []
  /** By `id * domains + domain`; infinite where the part has no value of that clock. */
  readonly leastOfLocal: number[] = []
  readonly leastOfEnvelope: number[] = []
  /** Whether a clock in the part has passed the bound of the instance; empty where there is none. */
  readonly #localsBeyond: boolean[] = []
  readonly #envelopesBeyond: boolean[] = []
  readonly #shapes: DataShapes
  readonly #nodes: number
  readonly #fifo: boolean
  readonly #erased: ReadonlySet<string>
  readonly #bound: { readonly clocks: ReadonlySet<string>; readonly most: number } | null
  readonly #localIds = new Map<string, number>()
  /** By plain JSON, which is quicker to make than the canonical text, and mostly the same. */
  readonly #localTexts = new Map<string, number>()
  readonly #erase: ClockVisitor = (clock, _owner, value) => (this.#erased.has(clock) ? 0 : value)
  readonly #envelopeIds = new Map<string, number>()
  readonly #shiftedLocals = new Map<number, number>()
  readonly #shiftedEnvelopes = new Map<number, number>()
  /** By part and clock: the values in it, and the part with others in their place. */
  readonly #values = new Map<string, readonly number[]>()
  readonly #replaced = new Map<string, number>()

  constructor({ algorithm, setup, channels, clock }: Instance, erased: ReadonlySet<string>) {
    this.#shapes = algorithm.shapes
    this.#nodes = setup.nodes
    this.#fifo = channels === 'fifo'
    this.#erased = erased
    this.#bound = clock === undefined ? null : { clocks: new Set(clocksOf(algorithm)), most: clock }
    this.domains = domainsOf(algorithm.shapes, setup.nodes).filter(({ clock }) => !erased.has(clock))
  }

  local(local: Local): number {
    const text = JSON.stringify(local)
    const seen = this.#localTexts.get(text)
    if (seen !== undefined) return seen
    const kept = this.#erased.size === 0 ? local : { ...local, state: this.#walkState(local, this.#erase) }
    const key = canonical(kept)
    let id = this.#localIds.get(key)
    if (id === undefined) {
      id = this.locals.length
      this.locals.push(kept)
      this.#localIds.set(key, id)
      this.#noteLeast(this.leastOfLocal, (note) => void this.#walkState(kept, note))
      this.#noteBeyond(this.#localsBeyond, (note) => void this.#walkState(kept, note))
    }
    this.#localTexts.set(text, id)
    return id
  }

  envelope(envelope: Envelope): number {
    const message = this.#erased.size === 0 ? envelope.message : this.#walkMessage(envelope, this.#erase)
    const kept = { ...envelope, message }
    const key = canonical(kept)
    const known = this.#envelopeIds.get(key)
    if (known !== undefined) return known
    const id = this.envelopes.length
    this.envelopes.push(kept)
    this.#envelopeIds.set(key, id)
    this.groups.push(this.#groupOf(kept, id))
    this.#noteLeast(this.leastOfEnvelope, (note) => void this.#walkMessage(kept, note))
    this.#noteBeyond(this.#envelopesBeyond, (note) => void this.#walkMessage(kept, note))
    return id
  }

  /** Whether a clock has passed the bound, in a node's local state or in a message. */
  isBeyond(part: 'local' | 'envelope', id: number): boolean {
    return (part === 'local' ? this.#localsBeyond : this.#envelopesBeyond)[id] === true
  }

  shiftedLocal(id: number, domain: number, by: number): number {
    if (this.leastOfLocal[id * this.domains.length + domain] === Number.POSITIVE_INFINITY) return id
    const key = shiftKey(id, this.domains.length, domain, by)
    let shifted = this.#shiftedLocals.get(key)
    if (shifted === undefined) {
      const local = get(this.locals, id)
      shifted = this.local({ ...local, state: this.#walkState(local, this.#minus(domain, by)) })
      this.#shiftedLocals.set(key, shifted)
    }
    return shifted
  }

  shiftedEnvelope(id: number, domain: number, by: number): number {
    if (this.leastOfEnvelope[id * this.domains.length + domain] === Number.POSITIVE_INFINITY) return id
    const key = shiftKey(id, this.domains.length, domain, by)
    let shifted = this.#shiftedEnvelopes.get(key)
    if (shifted === undefined) {
      const envelope = get(this.envelopes, id)
      shifted = this.envelope({ ...envelope, message: this.#walkMessage(envelope, this.#minus(domain, by)) })
      this.#shiftedEnvelopes.set(key, shifted)
    }
    return shifted
  }

  /** The values of a clock in a part, each once. */
  valuesOf(part: 'local' | 'envelope', id: number, domain: number): readonly number[] {
    const key = `${part} ${id} ${domain}`
    let values = this.#values.get(key)
    if (values === undefined) {
      const found = new Set<number>()
      this.#walkPart(part, id, domain, (value) => {
        found.add(value)
        return value
      })
      values = [...found]
      this.#values.set(key, values)
    }
    return values
  }

  /** The part, with the values `from` of a clock replaced by the values `to`. */
  withValues(
    part: 'local' | 'envelope',
    id: number,
    domain: number,
    from: readonly number[],
    to: readonly number[],
  ): number {
    const replace = (value: number) => get(to, from.indexOf(value))
    const own = this.valuesOf(part, id, domain)
    if (own.every((value) => replace(value) === value)) return id
    const key = `${part} ${id} ${domain} ${own.map(replace).join()}`
    let replaced = this.#replaced.get(key)
    if (replaced === undefined) {
      replaced = this.#walkPart(part, id, domain, replace)
      this.#replaced.set(key, replaced)
    }
    return replaced
  }

  #walkPart(
    part: 'local' | 'envelope',
    id: number,
    domain: number,
    change: (value: number) => number,
  ): number {
    const { clock, owner } = get(this.domains, domain)
    const visit: ClockVisitor = (name, of, value) => (name === clock && of === owner ? change(value) : value)
    if (part === 'local') {
      const local = get(this.locals, id)
      return this.local({ ...local, state: this.#walkState(local, visit) })
    }
    const envelope = get(this.envelopes, id)
    return this.envelope({ ...envelope, message: this.#walkMessage(envelope, visit) })
  }

  #minus(domain: number, by: number): ClockVisitor {
    const { clock, owner } = get(this.domains, domain)
    return (name, of, value) => (name === clock && of === owner ? value - by : value)
  }

  #groupOf({ from, to, medium }: Envelope, id: number): number {
    const nodes = this.#nodes
    if (medium) return nodes * nodes + to
    return this.#fifo ? from * nodes + to : nodes * nodes + nodes + id
  }

  #noteLeast(least: number[], walk: (note: ClockVisitor) => void): void {
    const first = least.length
    for (let i = 0; i < this.domains.length; i += 1) least.push(Number.POSITIVE_INFINITY)
    walk((clock, owner, value) => {
      const domain = this.domains.findIndex((known) => known.clock === clock && known.owner === owner)
      if (domain !== -1) least[first + domain] = Math.min(get(least, first + domain), value)
      return value
    })
  }

  #noteBeyond(beyond: boolean[], walk: (note: ClockVisitor) => void): void {
    const bound = this.#bound
    if (bound === null) return
    let isBeyond = false
    walk((clock, _owner, value) => {
      if (bound.clocks.has(clock) && value > bound.most) isBeyond = true
      return value
    })
    beyond.push(isBeyond)
  }

  #walkState({ node, state }: Local, clock: ClockVisitor): object {
    return reshape(this.#shapes.state, state, { self: node, sender: null }, { clock })
  }

  #walkMessage({ from, to, message }: Envelope, clock: ClockVisitor): Message {
    const { type, ...fields } = message
    const walked = reshape(this.#shapes.messages[type] ?? {}, fields, { self: to, sender: from }, { clock })
    return { type, ...walked }
  }
}

type ClockVisitor = (clock: string, owner: NodeId | null, value: number) => number

/** Shifts are small: a world is shifted by what one step made superfluous. */
const MOST_SHIFT = 1024

function shiftKey(id: number, domains: number, domain: number, by: number): number {
  if (by >= MOST_SHIFT)
    throw new BeyondReach(`a clock jumps by ${by}; the checker expects less than ${MOST_SHIFT}`)
  return (id * domains + domain) * MOST_SHIFT + by
}

/** The clocks that only fences use. No rule reads them. */
export function onlyForFences(algorithm: AnyProtocol): string[] {
  if (isElection(algorithm)) return []
  const { clock, scaled, onlyFences } = algorithm.shapes.fence
  return scaled && onlyFences !== true ? [] : [clock]
}

/** The names of the clocks that rules read. */
export function clocksOf(algorithm: AnyProtocol): string[] {
  const uncounted = onlyForFences(algorithm)
  const names = domainsOf(algorithm.shapes, 1).map(({ clock }) => clock)
  return [...new Set(names)].filter((clock) => !uncounted.includes(clock))
}

function domainsOf(shapes: DataShapes, nodes: number): Domain[] {
  const found = new Map<string, Domain>()
  const visit = (shape: Shape): void => {
    if (typeof shape === 'string') return
    if ('clock' in shape) {
      const owners = 'of' in shape ? Array.from({ length: nodes }, (_, node) => node) : [null]
      for (const owner of owners) found.set(`${shape.clock} ${owner}`, { clock: shape.clock, owner })
    } else if ('list' in shape) visit(shape.list)
    else if ('perNode' in shape) visit(shape.perNode)
    else Object.values(shape.fields).forEach(visit)
  }
  for (const fields of [shapes.state, ...Object.values(shapes.messages)]) Object.values(fields).forEach(visit)
  return [...found.values()]
}

/** JSON with sorted keys: the same value is the same text, however it was put together. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = value as Record<string, unknown>
  const keys = Object.keys(fields).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(fields[key])}`).join(',')}}`
}

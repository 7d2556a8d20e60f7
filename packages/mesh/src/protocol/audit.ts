/**
 * What one node was told and did, in a form that can be gone through again: its state when the audit began, and since then each event
 * with the node's own time and a digest of the effects. `handle` is a function of just these, so whoever reads an audit calls it again
 * and must find the same effects.
 *
 * Four things reach the state or a rule from outside an event, and are noted with the event that follows: what the lease thread was
 * acknowledged, what was promised to clients, what the lease thread owes (`Ledger`), and whether a mark is this node's own (`Marks`).
 */
import { dictionary } from './dictionary.ts'
import type { Effect, Event } from './events.ts'
import type { Ledger } from './ledger.ts'
import { handle } from './node.ts'
import type { Id } from './record.ts'
import type { Marks, Node } from './state.ts'

export const AUDIT_FORMAT = 'turnwise-audit'
export const AUDIT_VERSION = 1

/** The first line of an audit. */
export interface AuditHead {
  readonly format: typeof AUDIT_FORMAT
  readonly version: number
  readonly id: Id
  /** The machine since it was started: the clocks of its processes can be compared. */
  readonly machine: string
  /** Tells the lives of one node apart. */
  readonly life: string
  /** What part of this life it is: 0 begins with it. */
  readonly part: number
  /** Milliseconds since 1970, less the node's own time. */
  readonly wall: number
  /** The node when the audit began (`frozen`). */
  readonly node: unknown
}

type Owed = ReturnType<Ledger['close']>

/** What reached the node beside the event. */
export interface Beside {
  /** Since the last event: changed from outside. */
  readonly acked?: Readonly<Record<string, number>>
  readonly deadline?: number
  readonly promised?: number
  /** What `Ledger` and `Marks` answered during the event, each in order. */
  readonly owed?: readonly Owed[]
  readonly marks?: readonly (string | boolean)[]
  /** The machine slept: `wall` from here on. */
  readonly wall?: number
}

/** Any other line: the node's own time, what it was told (`frozen` if a register said it), and a digest of what it did. */
export type AuditLine = readonly [now: number, event: unknown, effects: number, beside?: unknown]

export function auditLine(now: number, event: Event, effects: readonly Effect[], beside?: Beside): AuditLine {
  // What registers answer may have maps in it. Everything else is plain, and there is much of it.
  const told = event.kind === 'answered' ? frozen(event) : event
  return beside === undefined ? [now, told, digest(effects)] : [now, told, digest(effects), frozen(beside)]
}

/** A state as plain data: JSON knows no maps, sets, infinities or objects without a prototype. Functions are left out. */
export function frozen(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(frozen)
  if (value instanceof Map) return { $map: [...value].map(frozen) }
  if (value instanceof Set) return { $set: [...value].map(frozen) }
  const fields = Object.entries(value)
    .filter(([, field]) => typeof field !== 'function')
    .map(([key, field]) => [key, frozen(field)] as const)
  return Object.getPrototypeOf(value) === null ? { $dictionary: fields } : Object.fromEntries(fields)
}

/** The state that was `frozen`. */
export function thawed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(thawed)
  const { $number, $map, $set, $dictionary } = value as Record<string, unknown>
  if (typeof $number === 'string') return Number($number)
  if (Array.isArray($map)) return new Map($map.map((pair) => thawed(pair) as [unknown, unknown]))
  if (Array.isArray($set)) return new Set($set.map(thawed))
  if (Array.isArray($dictionary))
    return dictionary($dictionary.map(([key, field]) => [String(key), thawed(field)] as const))
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, thawed(field)]))
}

/**
 * A number that stands for plain data, whatever the order of fields: a message that was decoded may have another. A field that is undefined
 * counts as one that is not there, as in JSON.
 */
export function digest(value: unknown): number {
  return mix(value, OFFSET) >>> 0
}

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const NUMBER = new Float64Array(1)
const BITS = new Uint32Array(NUMBER.buffer)

function mix(value: unknown, hash: number): number {
  switch (typeof value) {
    case 'string':
      return mixText(value, Math.imul(hash ^ 1, PRIME))
    case 'number':
      NUMBER[0] = value
      return Math.imul(Math.imul(hash ^ (BITS[0] as number), PRIME) ^ (BITS[1] as number), PRIME)
    case 'boolean':
      return Math.imul(hash ^ (value ? 3 : 5), PRIME)
    case 'object':
      break
    default:
      return Math.imul(hash ^ 7, PRIME)
  }
  if (value === null) return Math.imul(hash ^ 11, PRIME)
  let mixed = Math.imul(hash ^ 13, PRIME)
  if (Array.isArray(value)) {
    for (const each of value) mixed = mix(each, mixed)
  } else {
    let fields = 0
    for (const key in value) {
      const field = (value as Record<string, unknown>)[key]
      if (field !== undefined) fields = (fields + mix(field, mixText(key, OFFSET))) | 0
    }
    mixed = Math.imul(mixed ^ fields, PRIME)
  }
  return Math.imul(mixed ^ 17, PRIME)
}

function mixText(text: string, hash: number): number {
  let mixed = hash
  for (let i = 0; i < text.length; i += 1) mixed = Math.imul(mixed ^ text.charCodeAt(i), PRIME)
  return mixed
}

/** Listens to what a ledger and marks answer while an event is handled. */
export class Overhearing {
  #owed: Owed[] = []
  #marks: (string | boolean)[] = []

  ledger(ledger: Ledger): Ledger {
    return {
      close: (record) => {
        const owed = ledger.close(record)
        this.#owed.push(owed)
        return owed
      },
    }
  }

  marks(marks: Marks): Marks {
    const hear = <T extends string | boolean>(answer: T): T => {
      this.#marks.push(answer)
      return answer
    }
    return { of: (said) => hear(marks.of(said)), isOwn: (word) => hear(marks.isOwn(word)) }
  }

  /** What was answered since this was asked last, together with what else reached the node. */
  take(beside?: Beside): Beside | undefined {
    if (this.#owed.length === 0 && this.#marks.length === 0) return beside
    const heard = {
      ...beside,
      ...(this.#owed.length > 0 && { owed: this.#owed }),
      ...(this.#marks.length > 0 && { marks: this.#marks }),
    }
    this.#owed = []
    this.#marks = []
    return heard
  }
}

/** What differs from the audit, in words; `effects` are those that `handle` has now. */
export interface Difference {
  readonly now: number
  readonly event: Event
  readonly effects: readonly Effect[]
  readonly what: string
}

/** One step of an audit, gone through again. */
export interface Step {
  readonly now: number
  readonly event: Event
  readonly effects: readonly Effect[]
  /** Before R6 was applied. */
  readonly deadline: number
  /** The machine slept: milliseconds since 1970, less the node's own time, from here on. */
  readonly wall?: number | undefined
}

/** Goes through one audit. After a difference it can go no further: the states are no longer the same. */
export class Replay {
  readonly node: Node
  /** Of a node that had none there are no answers. */
  readonly #ledger: Ledger = { close: () => this.#owed.shift() ?? [] }
  #owed: Owed[] = []
  #answers: (string | boolean)[] = []
  #now = Number.NEGATIVE_INFINITY

  constructor({ node }: Pick<AuditHead, 'node'>) {
    this.node = thawed(node) as Node
    const { marks, ...config } = this.node.config
    this.node.config = marks === undefined ? config : { ...config, marks: this.#marks }
  }

  readonly #marks: Marks = {
    of: () => this.#answers.shift() as string,
    isOwn: () => this.#answers.shift() === true,
  }

  step([now, told, recorded, noted]: AuditLine): Step | Difference {
    const { node } = this
    const event = thawed(told) as Event
    const beside = thawed(noted) as Beside | undefined
    if (beside?.acked !== undefined) node.acked = dictionary(Object.entries(beside.acked))
    if (beside?.deadline !== undefined) node.deadline = beside.deadline
    if (beside?.promised !== undefined) node.promised = beside.promised
    this.#owed = [...(beside?.owed ?? [])]
    this.#answers = [...(beside?.marks ?? [])]
    const { deadline } = node
    const differs = (what: string, effects: readonly Effect[] = []) => ({ now, event, effects, what })
    if (now < this.#now) return differs('the clock of the node went back')
    this.#now = now
    const effects = handle(node, event, now, this.#ledger)
    if (digest(effects) !== recorded) return differs('the node did something else', effects)
    if (this.#answers.length + this.#owed.length > 0)
      return differs('the node had asked for more than it asks for now', effects)
    return { now, event, effects, deadline, wall: beside?.wall }
  }
}

/**
 * A record of one node that can be replayed. It has the node's state when the audit began, and then every event with the node's
 * own time and a digest of the effects. `handle` depends on nothing else, so a reader calls it again and must get the same
 * effects.
 *
 * Four inputs reach the node outside of events. The audit notes them with the event that follows: acks that the lease thread
 * received, deadlines promised to clients, debts of the lease thread (`Ledger`), and whether a mark is this node's own (`Marks`).
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
  /** Identifies the machine and its boot. Clocks of processes with the same `machine` can be compared. */
  readonly machine: string
  /** Distinguishes the lives of one node. */
  readonly life: string
  /** The number of this part within the life, from 0. */
  readonly part: number
  /** Milliseconds since 1970, minus the node's own time. */
  readonly wall: number
  /** The node when the audit began (`frozen`). */
  readonly node: unknown
}

type Owed = ReturnType<Ledger['close']>

/** Inputs that reached the node outside of events. Times are milliseconds of its own clock. */
export interface Beside {
  /** Changed from outside since the last event. */
  readonly acked?: Readonly<Record<string, number>>
  readonly deadline?: number
  readonly promised?: number
  /** The answers of `Ledger` and `Marks` during the event, each in order. */
  readonly owed?: readonly Owed[]
  readonly marks?: readonly (string | boolean)[]
  /** The machine slept. `wall` is this from here on. */
  readonly wall?: number
}

/** Any other line: the node's own time, the event (`frozen` if a register answered), and a digest of the effects. */
export type AuditLine = readonly [now: number, event: unknown, effects: number, beside?: unknown]

export function auditLine(now: number, event: Event, effects: readonly Effect[], beside?: Beside): AuditLine {
  // Answers of registers may contain maps. All other events are plain data, and there are many.
  const told = event.kind === 'answered' ? frozen(event) : event
  return beside === undefined ? [now, told, digest(effects)] : [now, told, digest(effects), frozen(beside)]
}

/** A state as plain data. JSON has no maps, sets, infinities or objects without a prototype. Functions are left out. */
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

/** Reverses `frozen`. */
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
 * A hash of plain data. The order of fields does not matter, because a decoded message may have another order. As in JSON, an
 * undefined field counts as absent.
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

/** Notes the answers of a ledger and of marks while an event is handled. */
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

  /** The answers since the last call, together with the other inputs from outside. */
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

/** How the replay differs from the audit. `effects` are those that `handle` returned now. */
export interface Difference {
  readonly now: number
  readonly event: Event
  readonly effects: readonly Effect[]
  readonly what: string
}

/** One step of an audit, replayed. */
export interface Step {
  readonly now: number
  readonly event: Event
  readonly effects: readonly Effect[]
  /** The deadline before R6 was applied. */
  readonly deadline: number
  /** The machine slept: from here on milliseconds since 1970, minus the node's own time. */
  readonly wall?: number | undefined
}

/** Replays one audit. It stops at the first difference, because the states are no longer the same. */
export class Replay {
  readonly node: Node
  /** Returns nothing for a node that had no ledger. */
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
    if (digest(effects) !== recorded) return differs('the effects of the node differ', effects)
    if (this.#answers.length + this.#owed.length > 0)
      return differs('the node had asked its ledger and marks for more than the replay did', effects)
    return { now, event, effects, deadline, wall: beside?.wall }
  }
}

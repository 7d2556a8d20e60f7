import type { Message, Mode, NodeId, ResourceId } from '../algorithm.ts'
import { InvalidInput } from '../invalid-input.ts'
import type { Reason } from '../reason.ts'

/**
 * The recorded run. Simulator, checker and mesh write it; command line, page and judges read it.
 *
 * A trace file is JSON lines: a header, then one event a line in the order in which they happened. Times are
 * whole ticks. What one handler call did (sends, timers, entry) follows the event that called it, at the same
 * time, up to the next event that calls a handler. So do its reasons, where the recorder has them; a mesh has none.
 */
export const TRACE_VERSION = 1

/** Virtual time is counted in whole ticks, so that no engine's rounding shows in a run. */
export const TICKS_PER_UNIT = 1_000_000

export interface TraceHeader {
  readonly format: 'turnwise-trace'
  readonly version: number
  readonly algorithm: string
  readonly nodes: number
  readonly seed: number
  /** How many may be inside together. */
  readonly entries: number
  /** What else was asked for, as it was written; for people, not for programs. */
  readonly settings: Readonly<Record<string, string | number>>
}

/**
 * The variables of the node after an event, if the recorder could read them; a mesh can. They come with the last event
 * of one call.
 */
export interface Variables {
  /**
   * Those that changed, by the names that the algorithm gives them, and with the node numbers of this record. Null: there
   * are none any more.
   */
  readonly state?: Readonly<Record<string, unknown>> | null
  /**
   * The nodes of a view begin anew, and `state` tells all variables. They stand in the order in which the algorithm numbers
   * them, which every view has its own of.
   */
  readonly view?: readonly NodeId[]
}

export type TraceEvent = { readonly at: number } & Variables &
  /** `resources` where a request may be for several. */
  (
    | {
        readonly is: 'request'
        readonly node: NodeId
        readonly mode: Mode
        /** Absent where it is the ordinary one, 0. */
        readonly priority?: number
        readonly resources?: readonly ResourceId[]
      }
    /** The fence of a mesh can be too large for a number that keeps all its digits: then it is a text of them. */
    | {
        readonly is: 'enter'
        readonly node: NodeId
        readonly mode: Mode
        readonly fence: number | string
        readonly resources?: readonly ResourceId[]
      }
    | { readonly is: 'leave'; readonly node: NodeId }
    /** It stays inside, and shares from now on. */
    | { readonly is: 'downgrade'; readonly node: NodeId }
    /** It is inside to update, and wants to be alone; it wants that no more. */
    | { readonly is: 'upgrade' | 'desist'; readonly node: NodeId }
    | { readonly is: 'withdraw'; readonly node: NodeId }
    /** `to` is null for a broadcast; its copies are received under the same id. */
    | {
        readonly is: 'send'
        readonly id: number
        readonly from: NodeId
        readonly to: NodeId | null
        readonly message: Message
      }
    | { readonly is: 'receive'; readonly id: number; readonly node: NodeId }
    | {
        readonly is: 'lose'
        readonly id: number
        readonly node: NodeId
        readonly why: 'drop' | 'cut' | 'crash' | 'absent'
      }
    | { readonly is: 'duplicate'; readonly id: number }
    | { readonly is: 'corrupt'; readonly id: number; readonly message: Message }
    | { readonly is: 'undelivered'; readonly id: number; readonly node: NodeId }
    | { readonly is: 'timeout'; readonly node: NodeId; readonly timer: string }
    | { readonly is: 'proceed'; readonly node: NodeId; readonly step: string }
    /** Why the handler did what it did. */
    | ({ readonly is: 'because'; readonly node: NodeId } & Reason)
    | { readonly is: 'elect'; readonly node: NodeId }
    | { readonly is: 'elected'; readonly node: NodeId; readonly coordinator: NodeId }
    | { readonly is: 'suspect' | 'restore'; readonly node: NodeId; readonly peer: NodeId }
    | { readonly is: 'crash' | 'pause' | 'resume'; readonly node: NodeId }
    | { readonly is: 'restart'; readonly node: NodeId; readonly memory: boolean }
    /** A node joins a running system; it is told to leave; it is no longer there. */
    | { readonly is: 'join'; readonly node: NodeId; readonly sponsor: NodeId | null }
    | { readonly is: 'depart' | 'gone'; readonly node: NodeId }
    /** The node's own record of the run ends here, by a stop or with its process. Later actions of the node are unknown. */
    | { readonly is: 'unseen'; readonly node: NodeId }
    | { readonly is: 'linked' | 'unlinked'; readonly node: NodeId; readonly peer: NodeId }
    | { readonly is: 'cut' | 'heal'; readonly from: NodeId; readonly to: NodeId }
    | {
        readonly is: 'violation'
        readonly judge: string
        readonly nodes: readonly NodeId[]
        readonly text: string
      }
  )

/** An event to which its time is still to be put. */
export type UntimedEvent = TraceEvent extends infer Event
  ? Event extends TraceEvent
    ? Omit<Event, 'at'>
    : never
  : never

export interface Trace {
  readonly header: TraceHeader
  readonly events: readonly TraceEvent[]
  /** The line in which a part breaks off: its process was killed while it wrote. */
  readonly torn?: number
}

/**
 * Whether this is what one node of a mesh recorded, for itself, of one lock; `settings.part` is its number. Parts of all
 * nodes are one run (`merge.ts`).
 */
export function isPart({ settings }: TraceHeader): boolean {
  return 'part' in settings
}

/** For every kind of event its fields in the order in which they are written, each with its type. */
const FIELDS: { readonly [Kind in TraceEvent['is']]: Readonly<Record<string, FieldType>> } = {
  request: { node: 'number', mode: 'string' },
  enter: { node: 'number', mode: 'string', fence: 'number or digits' },
  leave: { node: 'number' },
  downgrade: { node: 'number' },
  upgrade: { node: 'number' },
  desist: { node: 'number' },
  withdraw: { node: 'number' },
  send: { id: 'number', from: 'number', to: 'number or null', message: 'message' },
  receive: { id: 'number', node: 'number' },
  lose: { id: 'number', node: 'number', why: 'string' },
  duplicate: { id: 'number' },
  corrupt: { id: 'number', message: 'message' },
  undelivered: { id: 'number', node: 'number' },
  timeout: { node: 'number', timer: 'string' },
  proceed: { node: 'number', step: 'string' },
  because: { node: 'number', words: 'string', values: 'record of numbers, texts and lists of numbers' },
  elect: { node: 'number' },
  elected: { node: 'number', coordinator: 'number' },
  suspect: { node: 'number', peer: 'number' },
  restore: { node: 'number', peer: 'number' },
  crash: { node: 'number' },
  pause: { node: 'number' },
  resume: { node: 'number' },
  restart: { node: 'number', memory: 'boolean' },
  join: { node: 'number', sponsor: 'number or null' },
  depart: { node: 'number' },
  gone: { node: 'number' },
  unseen: { node: 'number' },
  linked: { node: 'number', peer: 'number' },
  unlinked: { node: 'number', peer: 'number' },
  cut: { from: 'number', to: 'number' },
  heal: { from: 'number', to: 'number' },
  violation: { judge: 'string', nodes: 'array', text: 'string' },
}

type FieldType =
  | 'number'
  | 'number or null'
  | 'number or digits'
  | 'string'
  | 'boolean'
  | 'array'
  | 'message'
  | 'record of numbers, texts and lists of numbers'

export function writeTraceLine(line: TraceHeader | TraceEvent): string {
  return `${JSON.stringify(line)}\n`
}

/** Reads a trace file, or says in which line it stops being one. Only a part may break off. */
export function readTrace(text: string): Trace {
  const reader = new TraceReader()
  reader.read(text)
  return reader.end()
}

/** No header is longer. A text without a line as short as that is no trace. */
const LONGEST_HEADER = 65_536

/** Reads a trace file that comes piece by piece. */
export class TraceReader {
  #header: TraceHeader | null = null
  readonly #events: TraceEvent[] = []
  #lines = 0
  /** What came after the last end of a line. */
  #rest = ''

  read(piece: string): void {
    const lines = (this.#rest + piece).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    if (this.#header === null && this.#rest.length > LONGEST_HEADER) throw noHeader()
  }

  end(): Trace {
    const last = this.#rest
    const isTorn = last !== '' && this.#header !== null && isPart(this.#header) && !isJson(last)
    if (!isTorn) this.#take(last)
    const header = this.#header ?? readHeader(parseLine('', 1))
    return { header, events: this.#events, ...(isTorn ? { torn: this.#lines + 1 } : {}) }
  }

  #take(line: string): void {
    this.#lines += 1
    if (this.#header === null) this.#header = readHeader(parseLine(line, this.#lines))
    else if (line !== '')
      this.#events.push(readEvent(parseLine(line, this.#lines), this.#lines, this.#header.nodes))
  }
}

function noHeader(): InvalidInput {
  return new InvalidInput('line 1 is not the header of a turnwise trace')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Told below, with the line's number.
  }
  throw new InvalidInput(`line ${number} is not a JSON object`)
}

function readHeader(value: Record<string, unknown>): TraceHeader {
  if (value['format'] !== 'turnwise-trace') throw noHeader()
  if (value['version'] !== TRACE_VERSION) {
    throw new InvalidInput(
      `the trace has version ${String(value['version'])}; this program reads ${TRACE_VERSION}`,
    )
  }
  const expected = {
    algorithm: 'string',
    nodes: 'number',
    seed: 'number',
    entries: 'number',
    settings: 'object',
  }
  for (const [field, type] of Object.entries(expected)) {
    if (typeof value[field] !== type || value[field] === null) {
      throw new InvalidInput(`line 1: ${field} is missing or not a ${type}`)
    }
  }
  if (!Number.isSafeInteger(value['nodes']) || Number(value['nodes']) < 1) {
    throw new InvalidInput('line 1: nodes is not a whole number, 1 or more')
  }
  const { part } = value['settings'] as Record<string, unknown>
  if (part !== undefined && !isNode(part, Number(value['nodes']))) {
    throw new InvalidInput(
      `line 1: part ${JSON.stringify(part)} is not a node from 0 to ${Number(value['nodes']) - 1}`,
    )
  }
  return value as unknown as TraceHeader
}

function readEvent(value: Record<string, unknown>, line: number, nodes: number): TraceEvent {
  const kind = String(value['is'])
  const fields = Object.hasOwn(FIELDS, kind) ? FIELDS[kind as TraceEvent['is']] : undefined
  if (fields === undefined) throw new InvalidInput(`line ${line}: "${kind}" is not a kind of event`)
  if (!Number.isSafeInteger(value['at']))
    throw new InvalidInput(`line ${line}: at is not a whole number of ticks`)
  for (const [field, type] of Object.entries(fields)) {
    if (!hasType(value[field], type))
      throw new InvalidInput(`line ${line}: ${field} is missing or not a ${type}`)
    const allowed = WORDS.get(field)
    if (allowed !== undefined && !allowed.some((word) => word === value[field])) {
      throw new InvalidInput(`line ${line}: ${field} is not ${allowed.join(' or ')}`)
    }
    if (!NODE_FIELDS.has(field) || (type === 'number or null' && value[field] === null)) continue
    const stray = [value[field]].flat().find((node) => !isNode(node, nodes))
    if (stray !== undefined) {
      throw new InvalidInput(
        `line ${line}: ${field} ${JSON.stringify(stray)} is not a node from 0 to ${nodes - 1}`,
      )
    }
  }
  checkVariables(value, line, nodes)
  checkResources(value, line)
  if (value['priority'] !== undefined && !Number.isSafeInteger(value['priority']))
    throw new InvalidInput(`line ${line}: priority is not a whole number`)
  return value as unknown as TraceEvent
}

function checkVariables({ state, view }: Record<string, unknown>, line: number, nodes: number): void {
  if (state !== undefined && (typeof state !== 'object' || Array.isArray(state)))
    throw new InvalidInput(`line ${line}: state is not an object or null`)
  if (view === undefined) return
  if (!Array.isArray(view) || !view.every((node) => isNode(node, nodes)))
    throw new InvalidInput(`line ${line}: view is not a list of nodes from 0 to ${nodes - 1}`)
}

function checkResources({ resources }: Record<string, unknown>, line: number): void {
  if (resources === undefined) return
  if (!Array.isArray(resources) || !resources.every((each) => Number.isInteger(each) && each >= 0))
    throw new InvalidInput(`line ${line}: resources is not a list of whole numbers`)
}

/** The number of the view that a node of a mesh begins with this event; null if it begins none. */
export function epochBegun(event: TraceEvent): number | null {
  const found = event.is === 'proceed' ? /^view (\d+) of /.exec(event.step) : null
  return found === null ? null : Number(found[1])
}

const NODE_FIELDS = new Set(['node', 'nodes', 'from', 'to', 'peer', 'coordinator', 'sponsor'])

/** Fields that hold one of a few words. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['mode', ['exclusive', 'shared', 'update']],
  ['why', ['drop', 'cut', 'crash', 'absent']],
])

function isNode(value: unknown, nodes: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < nodes
}

function hasType(value: unknown, type: FieldType): boolean {
  switch (type) {
    case 'number or null':
      return value === null || typeof value === 'number'
    case 'number or digits':
      return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
    case 'array':
      return Array.isArray(value)
    case 'message':
      return (
        typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
      )
    case 'record of numbers, texts and lists of numbers':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).every(isReasonValue)
      )
    default:
      return typeof value === type
  }
}

function isReasonValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'number')
  return typeof value === 'number' || typeof value === 'string'
}

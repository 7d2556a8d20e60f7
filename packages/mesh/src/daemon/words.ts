/**
 * The protocol of the control socket: JSON, one object per line. Each side first names its version. Then the client asks. Every
 * question has a ticket, larger than all before, which its answer repeats. A hold is identified by the ticket of its request,
 * until the client releases it or its connection ends.
 */
import type { Mode } from '@turnwise/core/algorithm'
import type { PlaceStatus } from '../observe/mesh-status.ts'
import { type Fence, LAST_COUNTER, LAST_EPOCH } from '../protocol/fence.ts'
import type { NameStanding } from '../protocol/messages.ts'
import {
  type Check,
  type Checks,
  fields,
  listOf,
  measure,
  oneOf,
  orNull,
  shown,
  TAG,
  text,
  variants,
  whole,
} from '../transport/checks.ts'
import { holderSigns, infoText, standingCheck } from '../transport/standing-check.ts'

export const VERSION = 6

/** In characters. Questions are short, and an answer lists a limited number of names. */
export const LONGEST_QUESTION = 16_384
/** C9: after so many milliseconds of silence, a daemon and a client on different machines consider each other gone. */
export const FAR_SILENCE = 15_000
export const LONGEST_MESSAGE = 4096
export const LONGEST_ANSWER = 64 * 1024 * 1024
export const MOST_NAMES = 10_000
/** How many names `query` can list in one answer. */
export const MOST_SURVEYED = 100_000

/** How many circles are shown to people. */
export const MOST_CIRCLES = 100

/** How many characters of callers' infos fit in one answer, escaped once more and together with the rest. */
export const MOST_INFO = 16 * 1024 * 1024

/** What a client wants to hold. */
export interface Wanted {
  readonly what: 'lock' | 'semaphore' | 'election'
  readonly name: string
  /** For a lock. */
  readonly mode: Mode
  /** For a semaphore. */
  readonly permits: number
  /** For a semaphore that names one. */
  readonly algorithm: string | null
  /** `now`: fail instead of waiting. `steal`: take the lock from its holder; only for locks. */
  readonly how: 'wait' | 'now' | 'steal'
  /** In milliseconds; null for no limit. */
  readonly timeout: number | null
  readonly priority: number
  readonly waitForQuorum: boolean
  /** What others are shown about the caller, as JSON; null for nothing. */
  readonly info: string | null
  /**
   * The holders that cannot go on before this has ended, the caller itself last. The client chooses their signs. Empty if it
   * names none.
   */
  readonly holders: readonly string[]
}

/** The callers of one node, by name. */
export interface Surveyed {
  readonly id: string
  readonly names: readonly NameStanding[]
}

export type Question =
  /** `lingers`: a command, a process beside the client, works under its locks, and ends shortly after the client (C6). */
  | {
      readonly kind: 'hello'
      readonly version: number
      readonly lingers: boolean
      /** At a door: the name of the client, and its token unless a certificate proves it. */
      readonly client: string | null
      readonly token: string | null
    }
  | { readonly kind: 'status'; readonly ticket: number }
  | { readonly kind: 'locks'; readonly ticket: number }
  | { readonly kind: 'metrics'; readonly ticket: number }
  | ({ readonly kind: 'acquire'; readonly ticket: number } & Wanted)
  /**
   * I am here, and rely on the answer: for how long may I rely on my holds? `echo`: the number of the daemon's `echo` that this
   * answers (C10); null if it answers none.
   */
  | { readonly kind: 'beat'; readonly ticket: number; readonly echo: number | null }
  /** Releases the hold of the ticket `hold`, or ends its wait. */
  | { readonly kind: 'release'; readonly ticket: number; readonly hold: number }
  /** Changes the hold of the ticket `hold`: to shared at once; to exclusive as soon as possible; or stops waiting for that. */
  | { readonly kind: 'downgrade'; readonly ticket: number; readonly hold: number }
  | { readonly kind: 'upgrade'; readonly ticket: number; readonly hold: number }
  | { readonly kind: 'desist'; readonly ticket: number; readonly hold: number }
  /** Who holds and who waits, for one key or for all. */
  | { readonly kind: 'survey'; readonly ticket: number; readonly key: string | null }

export type Answer =
  | { readonly kind: 'hello'; readonly version: number; readonly id: string; readonly lease: number }
  | { readonly kind: 'status'; readonly ticket: number; readonly status: NodeStatus }
  | {
      readonly kind: 'locks'
      readonly ticket: number
      readonly names: readonly NameOverview[]
      /** How many names were left out because there are too many. */
      readonly more: number
      /** Deadlocks, one line for each circle of callers. */
      readonly circles: readonly string[]
    }
  /** In the text format of Prometheus. */
  | { readonly kind: 'metrics'; readonly ticket: number; readonly text: string }
  /** C2: the client counts `left` from when it sent the question `heard`, the last one that the daemon had read. */
  | {
      readonly kind: 'granted'
      readonly ticket: number
      readonly fence: Fence
      readonly left: number
      readonly heard: number
    }
  /** C1: for at least so many milliseconds the client keeps everything that it holds now; 0 if it holds nothing. */
  | { readonly kind: 'beat'; readonly ticket: number; readonly left: number }
  /** `wasHeld`: it was held until now, without a break. */
  | { readonly kind: 'released'; readonly ticket: number; readonly wasHeld: boolean }
  /** `wasHeld`: it was held until now, without a break. */
  | { readonly kind: 'changed'; readonly ticket: number; readonly wasHeld: boolean }
  /** Unasked: the hold of the ticket `hold` is exclusive now. */
  | { readonly kind: 'upgraded'; readonly hold: number; readonly fence: Fence }
  /** Unasked: the hold of the ticket `hold` stays in mode update. `upgrade`: the ticket of the question that failed. */
  | {
      readonly kind: 'not-upgraded'
      readonly hold: number
      readonly upgrade: number
      readonly why: Refusal
      readonly message: string
    }
  | { readonly kind: 'refused'; readonly ticket: number; readonly why: Refusal; readonly message: string }
  | { readonly kind: 'survey'; readonly ticket: number; readonly nodes: readonly Surveyed[] }
  /** Unasked: the hold of the ticket `hold` is lost. */
  | { readonly kind: 'lost'; readonly hold: number; readonly why: Refusal; readonly message: string }
  /** Unasked, C10: answer with a `beat`, so that the daemon has read everything that you sent before. */
  | { readonly kind: 'echo'; readonly number: number }
  /** Unasked: the daemon wants to leave. Finish your work and release. */
  | { readonly kind: 'end'; readonly message: string }
  /** Unasked: the daemon cannot use what you sent, and closes the connection. */
  | { readonly kind: 'error'; readonly message: string }

/** Each is an error of the library (`refusals.ts`), except `taken`: the lock is held or awaited, and the caller does not wait. */
export const REFUSALS = [
  'taken',
  'timeout',
  'deadlock',
  'no-quorum',
  'stolen',
  'lost',
  'quota',
  'not-supported',
  'denied',
  'closed',
  'invalid',
  'range',
  'type',
  'failed',
] as const
export type Refusal = (typeof REFUSALS)[number]

export interface NodeStatus {
  readonly id: string
  /** Whether it is a member already. */
  readonly joined: boolean
  readonly epoch: number | null
  readonly members: readonly string[]
  readonly voters: readonly string[]
  readonly peers: readonly string[]
  /** Peers that are not in the view, and voters that are not heard; never this node. */
  readonly missing: readonly string[]
  /** Where the mesh meets; null with peers. At a place there are no voters and no peers. */
  readonly place: PlaceStatus | null
  /** Why it is not served, one line each. */
  readonly trouble: readonly string[]
  readonly lease: number
  readonly leaseLeft: number
  readonly names: number
  /** Connections to the control socket, and locks held for them. */
  readonly clients: number
  readonly holding: number
  /** Milliseconds since the daemon was started. */
  readonly uptime: number
}

/** A lock, a semaphore or an election. */
export interface NameOverview {
  readonly name: string
  readonly kind: 'lock' | 'semaphore' | 'election'
  readonly holders: readonly Holding[]
  /** Longest waiter first. Which one is next is decided by the algorithm. */
  readonly waiters: readonly Waiting[]
}

export interface Waiting {
  readonly node: string
  readonly mode: Mode
  /** In milliseconds. */
  readonly age: number
  /** What the caller says about itself, as JSON; null for nothing. Do not trust it. */
  readonly info: string | null
}

export interface Holding extends Waiting {
  readonly fence: string
}

const ticket = whole(0)
const name = text(0, 1024)
/** The key that members use: the name with a prefix (`protocol/names.ts`). */
const key = text(1, 2048)
const mode = oneOf('exclusive', 'shared', 'update')
const message = text(0, LONGEST_MESSAGE)
const fence = text(1, 32)
const fenceParts = fields<Fence>({ epoch: whole(0, LAST_EPOCH), counter: whole(0, LAST_COUNTER) })
const duration = measure(0, 2 ** 53)
const ids = listOf(text(1, 255))
const flag: Check<boolean> = (value) =>
  typeof value === 'boolean' ? null : `${shown(value)} is not true or false`

const of = <Kind extends Question['kind']>(checks: Checks<Omit<Extract<Question, { kind: Kind }>, 'kind'>>) =>
  fields<Omit<Extract<Question, { kind: Kind }>, 'kind'>>(checks, TAG)

const question = variants<Question, 'kind'>('kind', {
  hello: of<'hello'>({
    version: whole(0),
    lingers: flag,
    client: orNull(text(1, 255)),
    token: orNull(text(1, 4096)),
  }),
  status: of<'status'>({ ticket }),
  locks: of<'locks'>({ ticket }),
  metrics: of<'metrics'>({ ticket }),
  acquire: of<'acquire'>({
    ticket,
    what: oneOf('lock', 'semaphore', 'election'),
    name,
    mode,
    permits: whole(1),
    algorithm: orNull(text(1, 255)),
    how: oneOf('wait', 'now', 'steal'),
    timeout: orNull(measure(0, 2 ** 31 - 1)),
    priority: whole(Number.MIN_SAFE_INTEGER),
    waitForQuorum: flag,
    info: orNull(infoText),
    holders: holderSigns,
  }),
  beat: of<'beat'>({ ticket, echo: orNull(whole(0)) }),
  release: of<'release'>({ ticket, hold: whole(0) }),
  downgrade: of<'downgrade'>({ ticket, hold: whole(0) }),
  upgrade: of<'upgrade'>({ ticket, hold: whole(0) }),
  desist: of<'desist'>({ ticket, hold: whole(0) }),
  survey: of<'survey'>({ ticket, key: orNull(key) }),
})

const status = fields<NodeStatus>({
  id: text(1, 255),
  joined: flag,
  epoch: orNull(whole(0)),
  members: ids,
  voters: ids,
  peers: ids,
  missing: ids,
  place: orNull(fields<PlaceStatus>({ name: message, silentFor: orNull(duration), why: orNull(message) })),
  trouble: listOf(message),
  lease: duration,
  leaseLeft: duration,
  names: whole(0),
  clients: whole(0),
  holding: whole(0),
  uptime: duration,
})

const waiting: Checks<Waiting> = { node: text(1, 255), mode, age: duration, info: orNull(infoText) }
const overview = fields<NameOverview>({
  name,
  kind: oneOf('lock', 'semaphore', 'election'),
  holders: listOf(fields<Holding>({ ...waiting, fence })),
  waiters: listOf(fields<Waiting>(waiting)),
})

const surveyed = fields<Surveyed>({
  id: text(1, 255),
  names: listOf(fields<NameStanding>(standingCheck(key, fenceParts, duration)), MOST_SURVEYED),
})

const as = <Kind extends Answer['kind']>(checks: Checks<Omit<Extract<Answer, { kind: Kind }>, 'kind'>>) =>
  fields<Omit<Extract<Answer, { kind: Kind }>, 'kind'>>(checks, TAG)

const answer = variants<Answer, 'kind'>('kind', {
  hello: as<'hello'>({ version: whole(0), id: text(1, 255), lease: duration }),
  status: as<'status'>({ ticket, status }),
  locks: as<'locks'>({
    ticket,
    names: listOf(overview, MOST_NAMES),
    more: whole(0),
    circles: listOf(message, MOST_CIRCLES),
  }),
  metrics: as<'metrics'>({ ticket, text: text(0, LONGEST_ANSWER) }),
  granted: as<'granted'>({ ticket, fence: fenceParts, left: duration, heard: whole(0) }),
  beat: as<'beat'>({ ticket, left: duration }),
  released: as<'released'>({ ticket, wasHeld: flag }),
  changed: as<'changed'>({ ticket, wasHeld: flag }),
  upgraded: as<'upgraded'>({ hold: whole(0), fence: fenceParts }),
  'not-upgraded': as<'not-upgraded'>({
    hold: whole(0),
    upgrade: whole(0),
    why: oneOf(...REFUSALS),
    message,
  }),
  refused: as<'refused'>({ ticket, why: oneOf(...REFUSALS), message }),
  survey: as<'survey'>({ ticket, nodes: listOf(surveyed) }),
  lost: as<'lost'>({ hold: whole(0), why: oneOf(...REFUSALS), message }),
  echo: as<'echo'>({ number: whole(0) }),
  end: as<'end'>({ message }),
  error: as<'error'>({ message }),
})

/** A line that does not belong to this protocol. */
export class BadLine extends Error {
  override readonly name = 'BadLine'
}

export function readQuestion(line: string): Question {
  return readLine(line, question)
}

export function readAnswer(line: string): Answer {
  return readLine(line, answer)
}

function readLine<T>(line: string, check: Check<T>): T {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw new BadLine('it is not JSON', { cause: error })
  }
  // The hello of another version may have fields that this one does not know.
  const complaint = isHello(value) ? null : check(value)
  if (complaint !== null) throw new BadLine(complaint)
  return value as T
}

function isHello(value: unknown): boolean {
  const { kind, version } = (value ?? {}) as { kind?: unknown; version?: unknown }
  return kind === 'hello' && typeof version === 'number' && version !== VERSION
}

/** Joins lines that arrive in pieces. Throws for a line that is too long. */
export class Lines {
  readonly #longest: number
  readonly #decoder = new TextDecoder()
  #rest = ''

  constructor(longest: number) {
    this.#longest = longest
  }

  push(bytes: Uint8Array): string[] {
    const parts = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n')
    this.#rest = parts.pop() as string
    if ([this.#rest, ...parts].some(({ length }) => length > this.#longest)) {
      throw new BadLine(`a line is longer than ${this.#longest} characters`)
    }
    return parts
  }
}

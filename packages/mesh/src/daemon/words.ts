/**
 * What passes over the control socket: JSON, one object a line. Each side says first which version it speaks; then the
 * client asks, and every question has a ticket, larger than all before, that its answer repeats. What a client holds is known by the
 * ticket with which it was asked for, until the client says otherwise, or its connection ends.
 */
import type { Mode } from '@turnwise/core/algorithm'
import type { PlaceStatus } from '../host/attendance.ts'
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

export const VERSION = 5

/** In characters. Questions are short; a daemon's answer lists at most so many names. */
export const LONGEST_QUESTION = 16_384
/** C9: milliseconds without a word, after which a daemon and a client on different machines take each other for gone. */
export const FAR_SILENCE = 15_000
export const LONGEST_MESSAGE = 4096
export const LONGEST_ANSWER = 64 * 1024 * 1024
export const MOST_NAMES = 10_000
/** Names of which `query` tells: more do not fit an answer. */
export const MOST_SURVEYED = 100_000

/** Circles that are told to people. */
export const MOST_CIRCLES = 100

/** Characters of what callers say of themselves, in one answer: escaped once more they fit it, with all the rest. */
export const MOST_INFO = 16 * 1024 * 1024

/** What somebody wants to hold. */
export interface Wanted {
  readonly what: 'lock' | 'semaphore' | 'election'
  readonly name: string
  /** Of a lock. */
  readonly mode: Mode
  /** Of a semaphore. */
  readonly permits: number
  /** Of a semaphore, if it names one. */
  readonly algorithm: string | null
  /** `now`: rather not at all than wait for it; `steal`: from whoever holds it, and only a lock. */
  readonly how: 'wait' | 'now' | 'steal'
  /** Milliseconds; null waits as long as it takes. */
  readonly timeout: number | null
  readonly priority: number
  readonly waitForQuorum: boolean
  /** What is told of who holds or waits, as JSON; null if nothing is. */
  readonly info: string | null
  /** Who cannot go on before this has ended, by signs of the client's own, and last who asks; none if it does not say. */
  readonly holders: readonly string[]
}

/** What one node says of names. */
export interface Surveyed {
  readonly id: string
  readonly names: readonly NameStanding[]
}

export type Question =
  /** `lingers`: what it holds is used by a process beside it, a command, which ends a moment after it (C6). */
  | {
      readonly kind: 'hello'
      readonly version: number
      readonly lingers: boolean
      /** At a door: who asks, and by which token, unless a certificate says so. */
      readonly client: string | null
      readonly token: string | null
    }
  | { readonly kind: 'status'; readonly ticket: number }
  | { readonly kind: 'locks'; readonly ticket: number }
  | { readonly kind: 'metrics'; readonly ticket: number }
  | ({ readonly kind: 'acquire'; readonly ticket: number } & Wanted)
  /** I am there, and rely on the answer: for how long is mine what I hold? */
  | { readonly kind: 'beat'; readonly ticket: number }
  /** What was asked for with the ticket `hold` is not wanted any more, had or not. */
  | { readonly kind: 'release'; readonly ticket: number; readonly hold: number }
  /** What was asked for with the ticket `hold` is shared from now on; is to be exclusive; or no more. */
  | { readonly kind: 'downgrade'; readonly ticket: number; readonly hold: number }
  | { readonly kind: 'upgrade'; readonly ticket: number; readonly hold: number }
  | { readonly kind: 'desist'; readonly ticket: number; readonly hold: number }
  /** Who holds and who waits, of one name or of all; the name is one that members use. */
  | { readonly kind: 'survey'; readonly ticket: number; readonly key: string | null }

export type Answer =
  | { readonly kind: 'hello'; readonly version: number; readonly id: string; readonly lease: number }
  | { readonly kind: 'status'; readonly ticket: number; readonly status: NodeStatus }
  | {
      readonly kind: 'locks'
      readonly ticket: number
      readonly names: readonly NameOverview[]
      /** Names that were left out because there are too many. */
      readonly more: number
      /** Those who wait for each other, one line for each circle. */
      readonly circles: readonly string[]
    }
  /** As Prometheus reads it. */
  | { readonly kind: 'metrics'; readonly ticket: number; readonly text: string }
  /** C2: the client counts `left` from when it sent the question `heard`, the last one that was read here. */
  | {
      readonly kind: 'granted'
      readonly ticket: number
      readonly fence: Fence
      readonly left: number
      readonly heard: number
    }
  /** C1: milliseconds for which all is held at least that is held when this is said; 0 if nothing is. */
  | { readonly kind: 'beat'; readonly ticket: number; readonly left: number }
  /** `wasHeld`: until now, without a break. */
  | { readonly kind: 'released'; readonly ticket: number; readonly wasHeld: boolean }
  /** `wasHeld`: until now, without a break. */
  | { readonly kind: 'changed'; readonly ticket: number; readonly wasHeld: boolean }
  /** Unasked: what was asked for with the ticket `hold` is exclusive. */
  | { readonly kind: 'upgraded'; readonly hold: number; readonly fence: Fence }
  | { readonly kind: 'refused'; readonly ticket: number; readonly why: Refusal; readonly message: string }
  | { readonly kind: 'survey'; readonly ticket: number; readonly nodes: readonly Surveyed[] }
  /** Unasked: what was asked for with the ticket `hold` is gone. */
  | { readonly kind: 'lost'; readonly hold: number; readonly why: Refusal; readonly message: string }
  /** Unasked: the daemon wants to leave; end your work, and release. */
  | { readonly kind: 'end'; readonly message: string }
  /** Unasked: what you sent cannot be used, and the connection is closed. */
  | { readonly kind: 'error'; readonly message: string }

/** Each is an error of the library (`refusals.ts`); `taken` is none: somebody holds or awaits it, and who asked does not wait. */
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
  /** Peers that are not in the view, if there is one, and voters that are not heard; never this node. */
  readonly missing: readonly string[]
  /** Where the mesh meets; null with peers. Then there are no voters and no peers. */
  readonly place: PlaceStatus | null
  /** What keeps it from being served, one line each. */
  readonly trouble: readonly string[]
  readonly lease: number
  readonly leaseLeft: number
  readonly names: number
  /** Connections to the control socket, and locks that are held for them. */
  readonly clients: number
  readonly holding: number
  /** Milliseconds since the daemon was started. */
  readonly uptime: number
}

/** Of a lock, a semaphore or an election. */
export interface NameOverview {
  readonly name: string
  readonly kind: 'lock' | 'semaphore' | 'election'
  readonly holders: readonly Holding[]
  /** Whoever has waited longest first; who is next is the algorithm's business. */
  readonly waiters: readonly Waiting[]
}

export interface Waiting {
  readonly node: string
  readonly mode: Mode
  /** For how many milliseconds. */
  readonly age: number
  /** What it says of itself, as JSON; null if nothing. It is not to be trusted. */
  readonly info: string | null
}

export interface Holding extends Waiting {
  readonly fence: string
}

const ticket = whole(0)
const name = text(0, 1024)
/** What members call it: a sign, a number and an algorithm may stand before the name, which may be spelt in numbers. */
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
  beat: of<'beat'>({ ticket }),
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
  refused: as<'refused'>({ ticket, why: oneOf(...REFUSALS), message }),
  survey: as<'survey'>({ ticket, nodes: listOf(surveyed) }),
  lost: as<'lost'>({ hold: whole(0), why: oneOf(...REFUSALS), message }),
  end: as<'end'>({ message }),
  error: as<'error'>({ message }),
})

/** What came is not of this protocol. */
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
  // A later version may say hello with more than this one knows.
  const complaint = isHello(value) ? null : check(value)
  if (complaint !== null) throw new BadLine(complaint)
  return value as T
}

function isHello(value: unknown): boolean {
  const { kind, version } = (value ?? {}) as { kind?: unknown; version?: unknown }
  return kind === 'hello' && typeof version === 'number' && version !== VERSION
}

/** Puts lines together from what arrives in pieces; longer ones than allowed throw. */
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

/** Reads lines of the control socket, and checks them: nothing that a program sends is trusted (`control-messages.ts`). */
import type { PlaceStatus } from '../observe/mesh-status.ts'
import { type Fence, LAST_COUNTER, LAST_EPOCH } from '../protocol/fence.ts'
import type { Survives } from '../protocol/losses.ts'
import { KINDS, LONGEST_KEY, MOST_IN_GROUP } from '../protocol/names.ts'
import type { Finding, Run } from '../protocol/runs.ts'
import {
  type Check,
  type Checks,
  fields,
  flag,
  listOf,
  mapOf,
  measure,
  oneOf,
  orNull,
  TAG,
  text,
  unicode,
  variants,
  whole,
} from '../transport/checks.ts'
import { clientSigns, infoText, resources, surveyedCheck } from '../transport/standing-check.ts'
import {
  type Answer,
  type Caller,
  type Holding,
  LONGEST_ANSWER,
  LONGEST_MESSAGE,
  MOST_CIRCLES,
  MOST_NAMES,
  MOST_SURVEYED,
  type NameOverview,
  type NodeStatus,
  type Part,
  type Question,
  REFUSALS,
  type Stay,
  type Surveyed,
  VERSION,
  type Waiting,
  type Waits,
} from './control-messages.ts'

const ticket = whole(0)
const name = text(0, 1024)
/** The key that members use: the name with a prefix (`protocol/names.ts`). */
const key = unicode(1, LONGEST_KEY)
const mode = oneOf('exclusive', 'shared', 'update')
const message = text(0, LONGEST_MESSAGE)
const fence = text(1, 32)
const fenceParts = fields<Fence>({ epoch: whole(0, LAST_EPOCH), counter: whole(0, LAST_COUNTER) })
const duration = measure(0, 2 ** 53)
const moment = measure(-(2 ** 53), 2 ** 53)
const ids = listOf(text(1, 255))

const waits: Checks<Waits> = {
  timeout: orNull(measure(0, 2 ** 31 - 1)),
  priority: whole(Number.MIN_SAFE_INTEGER),
  waitForQuorum: flag,
  info: orNull(infoText),
  holders: clientSigns,
}

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
  acquire: fields<Omit<Extract<Question, { kind: 'acquire' }>, 'kind'>, 'group'>(
    {
      ticket,
      what: oneOf(...KINDS),
      name,
      mode,
      permits: whole(1),
      algorithm: orNull(text(1, 255)),
      how: oneOf('wait', 'now', 'steal'),
      ...waits,
    },
    TAG,
    { group: fields<Stay>({ names: listOf(name, MOST_IN_GROUP), resources }) },
  ),
  'acquire-all': of<'acquire-all'>({
    ticket,
    parts: listOf(fields<Part>({ name, mode }), MOST_NAMES),
    how: oneOf('wait', 'now'),
    ...waits,
  }),
  'acquire-job': of<'acquire-job'>({ ticket, name, ...waits }),
  beat: of<'beat'>({ ticket, echo: orNull(whole(0)) }),
  release: of<'release'>({ ticket, hold: whole(0) }),
  downgrade: of<'downgrade'>({ ticket, hold: whole(0) }),
  upgrade: of<'upgrade'>({ ticket, hold: whole(0) }),
  desist: of<'desist'>({ ticket, hold: whole(0) }),
  'look-up': of<'look-up'>({ ticket, hold: whole(0), time: moment, skew: duration }),
  note: of<'note'>({ ticket, hold: whole(0), at: moment, isDone: flag, since: moment }),
  confirm: of<'confirm'>({ ticket, hold: whole(0) }),
  survey: of<'survey'>({ ticket, key: orNull(key), hold: orNull(whole(0)) }),
})

const status = fields<NodeStatus>({
  id: text(1, 255),
  joined: flag,
  epoch: orNull(whole(0)),
  members: ids,
  zones: mapOf(text(1, 255), text(1, 63)),
  voters: ids,
  peers: ids,
  missing: ids,
  survives: orNull(fields<Survives>({ nodes: whole(0), zones: ids, notZones: ids })),
  place: orNull(fields<PlaceStatus>({ name: message, silentFor: orNull(duration), why: orNull(message) })),
  trouble: listOf(message),
  lease: duration,
  leaseLeft: duration,
  names: whole(0),
  clients: whole(0),
  holding: whole(0),
  uptime: duration,
})

const caller: Checks<Omit<Caller, 'names'>> = {
  node: text(1, 255),
  mode,
  age: duration,
  info: orNull(infoText),
}
const some = { names: listOf(name, MOST_IN_GROUP) }
const overview = fields<NameOverview>({
  name,
  kind: oneOf(...KINDS),
  holders: listOf(fields<Holding, 'names'>({ ...caller, fence }, 0, some)),
  waiters: listOf(fields<Waiting, 'names'>({ ...caller, ahead: orNull(whole(0)) }, 0, some)),
})

const surveyed = fields<Surveyed>({
  id: text(1, 255),
  names: listOf(surveyedCheck(key, fenceParts, duration), MOST_SURVEYED),
})

const run = fields<Run>({ time: moment, by: text(1, 255), at: moment, isDone: flag })
const finding = variants<Finding, 'kind'>('kind', {
  ran: fields({ run }, TAG),
  new: fields({}, TAG),
  unknown: fields({ before: moment }, TAG),
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
  granted: as<'granted'>({
    ticket,
    fences: listOf(fenceParts, MOST_NAMES),
    left: duration,
    heard: whole(0),
  }),
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
  found: as<'found'>({ ticket, finding }),
  noted: as<'noted'>({ ticket }),
  survey: as<'survey'>({ ticket, nodes: listOf(surveyed), ahead: orNull(whole(0)) }),
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

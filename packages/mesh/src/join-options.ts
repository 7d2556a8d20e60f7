/**
 * Checks the options of `join`: which ones exist, and their types. Otherwise a mistyped option would silently mean its default.
 * The code that uses a value checks its range.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { JoinOptions } from './join.ts'
import type { Place } from './register/place.ts'
import { isObject, shown, unknownOption } from './transport/checks.ts'

/** A description of the type, and its test. */
type Kind = readonly [what: string, is: (value: unknown) => boolean]

const isText = (value: unknown) => typeof value === 'string'
const TEXT: Kind = ['a text', isText]
const FLAG: Kind = ['true or false', (value) => typeof value === 'boolean']
const TIME: Kind = ['a number of milliseconds', (value) => typeof value === 'number' && value >= 0]
/** In bytes. A smaller audit would contain little more than its first line. */
const LEAST_AUDIT = 1024 ** 2
/** Checked elsewhere, with its bounds. */
const ANY: Kind = ['', () => true]

/** A new option does not compile without a line here. */
const OPTIONS: { readonly [Option in keyof Required<JoinOptions>]: Kind } = {
  at: TEXT,
  id: TEXT,
  listen: TEXT,
  advertise: TEXT,
  peers: [
    'an object with an address for each node',
    (value) => isPlain(value) && Object.values(value).every(isText),
  ],
  voters: ['a list of nodes', (value) => Array.isArray(value) && value.every(isText)],
  stateDir: TEXT,
  lease: ANY,
  drift: ANY,
  algorithm: TEXT,
  mesh: TEXT,
  zone: TEXT,
  localTurns: ANY,
  quorumTimeout: TIME,
  nesting: FLAG,
  deadlockAfter: [
    `a number of milliseconds from 0 to ${2 ** 28}`,
    (value) => typeof value === 'number' && value >= 0 && value <= 2 ** 28,
  ],
  mostNames: ['a number', (value) => typeof value === 'number' && value >= 0],
  timeout: TIME,
  firstStart: FLAG,
  genesis: [
    'an object with an epoch and, optionally, a list of voters',
    (value) =>
      isObject(value) &&
      (value['voters'] === undefined || (Array.isArray(value['voters']) && value['voters'].every(isText))),
  ],
  thread: FLAG,
  keepAlive: FLAG,
  waitOutLease: FLAG,
  record: [
    'an object with the name of a lock and a file',
    (value) => isObject(value) && isText(value['name']) && isText(value['file']),
  ],
  audit: [
    'an object with a file and, optionally, a limit of at least 1048576 bytes',
    (value) =>
      isObject(value) &&
      isText(value['file']) &&
      (value['limit'] === undefined || (typeof value['limit'] === 'number' && value['limit'] >= LEAST_AUDIT)),
  ],
  log: ['a logger or a function', (value) => typeof value === 'function' || isObject(value)],
  telemetry: ANY,
  secret: ANY,
  tls: [
    'an object with all of ca, cert and key',
    (value) => isObject(value) && [value['ca'], value['cert'], value['key']].every(isText),
  ],
  insecure: FLAG,
}

/**
 * What `join` was called with. A place that is missing, or that is taken for options without a word, would make a mesh of one of every
 * process: all of them would be inside.
 */
export function optionsFrom(given: readonly unknown[]): JoinOptions {
  if (given.length === 0) return {}
  const [first, second = {}] = given
  if (first === undefined)
    throw new InvalidInput('join got undefined for a place or options: only join() is a mesh of one')
  if (typeof first === 'string' || first instanceof URL) {
    requireOptions(second)
    if (Object.hasOwn(second, 'at')) throw new InvalidInput('join got two places: leave out "at"')
    return { ...second, at: String(first) }
  }
  requireOptions(first)
  if (given[1] !== undefined)
    throw new InvalidInput('join expects a place and options, or options alone, got two objects of options')
  return first
}

export function requireOptions(options: unknown): asserts options is JoinOptions {
  if (!isPlain(options))
    throw new InvalidInput(`join expects a place or an object of options, got ${kindOf(options)}`)
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, name))
      throw new InvalidInput(unknownOption(name, 'join', Object.keys(OPTIONS)))
    const [what, is] = OPTIONS[name as keyof JoinOptions]
    if (value === undefined ? isOfOthers(name) : !is(value))
      throw new InvalidInput(`${name}: ${kindOf(value)} is not ${what}`)
  }
}

/** Where the other members are. An undefined value was meant to be one, and is no mesh of one. */
function isOfOthers(name: string): boolean {
  return name === 'at' || name === 'peers'
}

/** Only these have all their fields in themselves. A Map or a class has none, and would pass for an object without options. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false
  const kind: unknown = Object.getPrototypeOf(value)
  // The second is Object.prototype, perhaps of another realm.
  return kind === null || Object.getPrototypeOf(kind) === null
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined'
  const isOfClass = isObject(value) && !isPlain(value)
  return isOfClass ? `an object of a class (${shown((value as object).constructor.name)})` : shown(value)
}

/** Options of a mesh of named peers, without meaning where members find each other. */
const OF_PEERS = ['peers', 'voters', 'stateDir', 'firstStart', 'genesis', 'thread', 'insecure'] as const

/** Options of connections between machines. */
const OF_TCP = ['listen', 'advertise', 'secret', 'tls'] as const

export function requireFitting({ engine, name }: Place, options: JoinOptions): void {
  const stray = OF_PEERS.find((option) => options[option] !== undefined)
  if (stray !== undefined) {
    const why = stray === 'thread' ? 'no lease thread runs there' : 'members find each other there'
    throw new InvalidInput(`${stray} cannot be set where the mesh meets at "${name}": ${why}`)
  }
  const overTcp = OF_TCP.find((option) => options[option] !== undefined)
  if (engine === 'directory' && overTcp !== undefined)
    throw new InvalidInput(`${overTcp} cannot be set where the mesh meets at "${name}": no port is opened`)
}

/** Options of a node that others reach. */
const OF_OTHERS = [...OF_TCP, 'insecure', 'waitOutLease'] as const

/** A node that listens nowhere stays alone. An option about others shows that the others were forgotten, not that there are none. */
export function requireAlone(options: JoinOptions): void {
  // A directory belongs to a mesh, even if its node is alone.
  const meant = options.stateDir === undefined ? [...OF_OTHERS, 'mesh' as const] : OF_OTHERS
  const stray = meant.find((option) => options[option] !== undefined)
  if (stray !== undefined)
    throw new InvalidInput(`${stray} needs peers or a place: only join() is a mesh of one`)
}

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
    (value) => isObject(value) && Object.values(value).every(isText),
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

export function requireOptions(options: unknown): void {
  if (!isObject(options)) throw new InvalidInput(`join expects an object of options, got ${shown(options)}`)
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, name))
      throw new InvalidInput(unknownOption(name, 'join', Object.keys(OPTIONS)))
    const [what, is] = OPTIONS[name as keyof JoinOptions]
    if (value !== undefined && !is(value)) throw new InvalidInput(`${name}: ${shown(value)} is not ${what}`)
  }
}

/** Options of a mesh of named peers, without meaning where members find each other. */
const OF_PEERS = ['peers', 'voters', 'stateDir', 'firstStart', 'genesis', 'thread', 'insecure'] as const

/** Options of connections between machines. */
const OF_TCP = ['listen', 'advertise', 'secret', 'tls'] as const

export function requireFitting({ engine, name }: Place, options: JoinOptions): void {
  const stray = OF_PEERS.find((option) => options[option] !== undefined)
  if (stray !== undefined)
    throw new InvalidInput(
      `${stray} cannot be set where the mesh meets at "${name}": members find each other there`,
    )
  const overTcp = OF_TCP.find((option) => options[option] !== undefined)
  if (engine === 'directory' && overTcp !== undefined)
    throw new InvalidInput(`${overTcp} cannot be set where the mesh meets at "${name}": no port is opened`)
}

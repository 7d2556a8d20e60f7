/**
 * What `join` is given, before anything is done with it: which options there are, and of which type. A word that is
 * mistyped would else be a default, without a word. What the values may be is asked where they are used.
 */
import { InvalidInput, nearestNames } from '@turnwise/core/invalid-input'
import type { JoinOptions } from './join.ts'
import type { Place } from './register/place.ts'
import { isObject, shown } from './transport/checks.ts'

/** What it has to be, and whether it is. */
type Kind = readonly [what: string, is: (value: unknown) => boolean]

const isText = (value: unknown) => typeof value === 'string'
const TEXT: Kind = ['a text', isText]
const FLAG: Kind = ['true or false', (value) => typeof value === 'boolean']
const TIME: Kind = ['a number of milliseconds', (value) => typeof value === 'number' && value >= 0]
/** Bytes: a smaller audit would hold little but its first line. */
const LEAST_AUDIT = 1024 ** 2
/** Looked at elsewhere, with its bounds. */
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
    'an object with an epoch, and a list of voters if any',
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
    'an object with a file and, if you like, a limit of at least 1048576 bytes',
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

/** With the nearest one that there is, or all of them. */
export function unknownOption(name: string, whose: string, known: readonly string[]): string {
  const [nearest] = nearestNames(name, known)
  const instead = nearest === undefined ? `the options are ${known.join(', ')}` : `did you mean "${nearest}"?`
  return `${shown(name)} is not an option of ${whose}: ${instead}`
}

/** What belongs to a mesh of named peers, and means nothing where members find each other. */
const OF_PEERS = ['peers', 'voters', 'stateDir', 'firstStart', 'genesis', 'thread', 'insecure'] as const

/** What belongs to connections between machines. */
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

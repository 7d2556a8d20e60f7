import { type Hand, readHands, writeHands } from '../../run/hand.ts'
import { type RunSpec, variantNamed } from '../../run/spec.ts'
import type { Query } from '../../shell/address.ts'
import { type Asked, withAlgorithm, writeQuery } from './theatre-query.ts'

/** A second run, beside the one of the address. */
export interface Beside {
  readonly spec: RunSpec
  readonly hands: readonly Hand[]
  /** The word for a record that is shown instead of a run; absent for a run. */
  readonly trace?: string
}

/** What the second run may have for itself. Seed, nodes, load, delays and faults are those of the first. */
const OWN = [
  'channels',
  'topology',
  'quorum',
  'structure',
  'k',
  'resources',
  'take',
  'readers',
  'priorities',
] as const

const NUMBERS: ReadonlySet<string> = new Set(['k', 'resources', 'take', 'readers'])

/** The algorithm that a name stands for: of a broken variant, the one that it changes. */
export function ruleOf(algorithm: string): string {
  return variantNamed(algorithm)?.of ?? algorithm
}

/** The second run as the first one has it: with the same settings, if it is of the same algorithm or breaks a rule of it. */
function inherited(first: RunSpec, algorithm: string): RunSpec {
  return ruleOf(first.algorithm) === ruleOf(algorithm)
    ? { ...first, algorithm }
    : withAlgorithm(first, algorithm)
}

const RECORD = 'trace:'

/** As an address has it: `maekawa;quorum:grid;set:a=1 b=2;hands:12@3500000.crash.2`, or `trace:` and the word for a record. */
export function writeBeside({ spec, hands, trace }: Beside, first: RunSpec): string {
  if (trace !== undefined) return RECORD + trace
  const base = inherited(first, spec.algorithm)
  const own = OWN.filter((name) => spec[name] !== base[name]).map((name) => `${name}:${spec[name] ?? ''}`)
  const set = spec.set.join(' ')
  return [
    spec.algorithm,
    ...own,
    ...(set === base.set.join(' ') ? [] : [`set:${set}`]),
    ...(hands.length === 0 ? [] : [`hands:${writeHands(hands)}`]),
  ].join(';')
}

/** What it cannot read it leaves out. */
export function readBeside(text: string, first: RunSpec): Beside {
  if (text.startsWith(RECORD)) return { spec: first, hands: [], trace: text.slice(RECORD.length) }
  const [algorithm = '', ...parts] = text.split(';')
  const words = new Map(parts.map((part) => [part.split(':', 1).join(), part.slice(part.indexOf(':') + 1)]))
  const own = Object.fromEntries(
    OWN.flatMap((name) => {
      const value = words.get(name)
      if (value === undefined || (NUMBERS.has(name) && !/^[\d.]*$/.test(value))) return []
      return [[name, value === '' ? undefined : NUMBERS.has(name) ? Number(value) : value]]
    }),
  )
  const spec = { ...inherited(first, algorithm || first.algorithm), ...own }
  const set = words.get('set')
  return {
    spec: set === undefined ? spec : { ...spec, set: set.split(' ').filter((word) => word !== '') },
    hands: readHands(words.get('hands') ?? ''),
  }
}

/** The first run, after the second was changed: what both have together is changed in both. */
export function withShared(first: RunSpec, { entries, inside }: RunSpec): RunSpec {
  return { ...first, entries, inside }
}

/** The address at which this run stands beside the one that is shown; `spec` are the words of that one. */
export function besideQuery(asked: Asked, beside: Beside, spec = asked.spec): Query {
  return writeQuery({ ...asked, position: null, beside: writeBeside(beside, spec) })
}

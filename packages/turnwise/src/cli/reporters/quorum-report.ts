import type { NodeId } from '@turnwise/core/algorithm'
import type { QuorumFamily } from '@turnwise/core/quorum/family'
import { kCoterieFlaw } from '@turnwise/core/quorum/k-coterie'
import {
  type Availability,
  availabilityOf,
  coterieFault,
  dominationOf,
  type Load,
  loadOf,
  MOST_NODES_FOR_ALL_SETS,
  resilienceOf,
} from '@turnwise/core/quorum/metrics'
import { type Quorums, quorumSizes } from '@turnwise/core/quorum/quorums'
import { figure, type Terminal } from '../terminal.ts'

/** Pairs of quorums are compared, so more than these take too long. */
const MOST_COMPARED = 2000
/** Families of quorums that do not meet are tried, which takes longer still. */
const MOST_FOR_K = 300
/** So many quorums are printed; JSON has all that are listed. */
const MOST_PRINTED = 12

export interface QuorumReport {
  readonly family: QuorumFamily
  readonly sizes: { readonly min: number; readonly max: number; readonly mean: number }
  readonly load: Load
  readonly resilience: number | null
  readonly up: number
  readonly availability: Availability
  /** How many may be inside together. */
  readonly k: number
  /** Why it is no k-coterie, null if it is one, undefined if k is 1 or there are too many quorums to tell. */
  readonly kFlaw: string | null | undefined
  /** Why it is no coterie, null if it is one, undefined if there are too many quorums to tell. */
  readonly fault: ReturnType<typeof coterieFault> | undefined
  /** A set that could be one more quorum, null if there is none, undefined if it cannot be told. */
  readonly dominatedBy: readonly NodeId[] | null | undefined
}

export function quorumReport(
  family: QuorumFamily,
  own: Quorums,
  up: number,
  seed: number,
  k: number,
): QuorumReport {
  const { quorums, nodes } = family
  const fault = quorums === null || quorums.length > MOST_COMPARED ? undefined : coterieFault(quorums)
  const canDominate = nodes <= MOST_NODES_FOR_ALL_SETS && fault?.fault !== 'disjoint'
  return {
    family,
    sizes: quorums === null ? quorumSizes(own) : sizesOf(quorums),
    load: loadOf(family, (node) => own.of(node)),
    resilience: resilienceOf(family),
    up,
    availability: availabilityOf(family, up, seed),
    k,
    kFlaw: k === 1 || quorums === null || quorums.length > MOST_FOR_K ? undefined : kCoterieFlaw(quorums, k),
    fault,
    dominatedBy: canDominate ? dominationOf(family) : undefined,
  }
}

function sizesOf(quorums: readonly (readonly NodeId[])[]): QuorumReport['sizes'] {
  const sizes = quorums.map(({ length }) => length)
  const sum = sizes.reduce((a, b) => a + b, 0)
  return {
    min: sizes.reduce((a, b) => Math.min(a, b)),
    max: sizes.reduce((a, b) => Math.max(a, b)),
    mean: sum / sizes.length,
  }
}

/** Other programs rely on these names. */
export function quorumJson(report: QuorumReport) {
  const { family, sizes, load, resilience, up, availability, fault, dominatedBy } = report
  return {
    kind: family.kind,
    nodes: family.nodes,
    count: family.quorums?.length ?? null,
    quorums: family.quorums,
    sizes,
    load,
    resilience,
    nodeAvailability: up,
    availability,
    k: report.k,
    kCoterie: report.kFlaw === undefined ? null : report.kFlaw === null,
    kFlaw: report.kFlaw ?? null,
    coterie: fault === undefined ? null : fault === null,
    fault: fault ?? null,
    nonDominated: dominatedBy === undefined ? null : dominatedBy === null && fault === null,
    dominatedBy: dominatedBy ?? null,
  }
}

export function quorumText(report: QuorumReport, { paint }: Terminal): string {
  const { family, sizes, load, resilience, up } = report
  const size =
    sizes.min === sizes.max ? figure(sizes.min) : `${sizes.min} to ${sizes.max}, mean ${figure(sizes.mean)}`
  const rows: [string, string][] = [
    ['size', family.quorums === null ? `${size} (of those that nodes ask while all are up)` : size],
    ['load', `${figure(load.value)}, ${LOAD_BY[load.by]}`],
    ['resilience', resilience === null ? 'not computed for so many nodes' : resilienceText(resilience)],
    ['availability', availabilityText(report)],
    ...(report.k > 1
      ? [[`${report.k}-coterie`, kCoterieText(report)] as [string, string]]
      : ([
          ['coterie', coterieText(report)],
          ['dominated', dominationText(report)],
        ] as [string, string][])),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${paint.bold(family.kind)}  ${family.nodes} ${family.nodes === 1 ? 'node' : 'nodes'}, each up with probability ${up}`,
    '',
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(width))}  ${value}`),
    '',
    ...listing(family),
  ].join('\n')
}

const LOAD_BY = {
  'closed form': 'exact, by a closed form',
  fairness: 'exact: all quorums are equally large and all nodes in equally many',
  'linear program': 'exact up to rounding, by a linear program',
  'own quorums': 'if every node asks its own quorum equally often; the best choice may be better',
} as const

function resilienceText(failures: number): string {
  if (failures === 0) return '0: one failure can leave no quorum'
  return `any ${failures} ${failures === 1 ? 'failure leaves' : 'failures leave'} a quorum`
}

function availabilityText({ availability: { value, low, high, exact } }: QuorumReport): string {
  const six = (share: number) => share.toFixed(6)
  // A number that is not 1 must not look like it.
  if (exact && value < 1 && value > 0.999_999_5) return 'more than 0.999999'
  return exact ? `${six(value)}, exact` : `${six(value)}, sampled: ${six(low)} to ${six(high)} with 99 %`
}

function coterieText({ fault }: QuorumReport): string {
  if (fault === undefined) return 'too many quorums to compare'
  if (fault === null) return 'yes: every two meet, and none holds another'
  return fault.fault === 'disjoint'
    ? `no: ${braced(fault.a)} and ${braced(fault.b)} do not meet`
    : `no, but every two of the least meet: ${braced(fault.b)} holds ${braced(fault.a)}`
}

function kCoterieText({ k, kFlaw }: QuorumReport): string {
  if (kFlaw === undefined) return 'too many quorums to compare'
  if (kFlaw !== null) return `no: ${kFlaw}`
  return `yes: of any ${k + 1} two meet, ${k} need not, and none holds another`
}

function dominationText({ dominatedBy, fault }: QuorumReport): string {
  if (fault?.fault === 'disjoint') return '–'
  if (dominatedBy === undefined) return `not looked for above ${MOST_NODES_FOR_ALL_SETS} nodes`
  return dominatedBy === null ? 'no' : `yes: ${braced(dominatedBy)} could be one more quorum`
}

function listing({ quorums }: QuorumFamily): string[] {
  if (quorums === null) return ['too many quorums to list']
  const shown = quorums.slice(0, MOST_PRINTED).map((quorum) => `  ${braced(quorum)}`)
  const rest = quorums.length - shown.length
  const count = `${figure(quorums.length)} ${quorums.length === 1 ? 'quorum' : 'quorums'}:`
  return [count, ...shown, ...(rest === 0 ? [] : [`  and ${figure(rest)} more`])]
}

function braced(members: readonly NodeId[]): string {
  return `{${members.join(',')}}`
}

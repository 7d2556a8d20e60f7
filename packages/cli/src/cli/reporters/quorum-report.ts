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
  type Resilience,
  resilienceWithin,
} from '@turnwise/core/quorum/quorum-metrics'
import { type Quorums, quorumSizes } from '@turnwise/core/quorum/quorums'
import { counted, figure, type Terminal } from '../../terminal/terminal.ts'
import { type AgreementReport, agreementJson, agreementListing, agreementText } from './agreement-report.ts'
import {
  availabilityText,
  braced,
  exactResilience,
  listing,
  MOST_COMPARED,
  resilienceSentence,
  type Sizes,
  sizesOf,
  sizesText,
} from './quorum-words.ts'

/** Families of quorums that do not meet are tried, which takes longer still. */
const MOST_FOR_K = 300
export interface QuorumReport {
  readonly family: QuorumFamily
  readonly sizes: Sizes
  readonly load: Load
  readonly resilience: Resilience | null
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
  /** The same sets, or for a grid the columns and the rows, as request and acquired sets; null where k is not 1. */
  readonly agreement: AgreementReport | null
}

export function quorumReport(
  family: QuorumFamily,
  own: Quorums,
  up: number,
  seed: number,
  k: number,
  agreement: AgreementReport | null,
): QuorumReport {
  const { quorums, nodes } = family
  const fault = quorums === null || quorums.length > MOST_COMPARED ? undefined : coterieFault(quorums)
  const canDominate = nodes <= MOST_NODES_FOR_ALL_SETS && fault?.fault !== 'disjoint'
  return {
    family,
    sizes: quorums === null ? quorumSizes(own) : sizesOf(quorums),
    load: loadOf(family, (node) => own.of(node)),
    resilience: resilienceWithin(family),
    up,
    availability: availabilityOf(family, up, seed),
    k,
    kFlaw: k === 1 || quorums === null || quorums.length > MOST_FOR_K ? undefined : kCoterieFlaw(quorums, k),
    fault,
    dominatedBy: canDominate ? dominationOf(family) : undefined,
    agreement,
  }
}

/** Other programs rely on these names. */
export function quorumJson(report: QuorumReport) {
  const { family, sizes, load, resilience, up, availability, fault, dominatedBy } = report
  return {
    kind: family.kind,
    nodes: family.nodes,
    fallback: family.fallback ?? null,
    count: family.quorums?.length ?? null,
    quorums: family.quorums,
    sizes,
    load,
    resilience: exactResilience(resilience),
    resilienceWithin: resilience,
    nodeAvailability: up,
    availability,
    k: report.k,
    kCoterie: report.kFlaw === undefined ? null : report.kFlaw === null,
    kFlaw: report.kFlaw ?? null,
    coterie: fault === undefined ? null : fault === null,
    fault: fault ?? null,
    nonDominated: dominatedBy === undefined ? null : dominatedBy === null && fault === null,
    dominatedBy: dominatedBy ?? null,
    agreement: report.agreement === null ? null : agreementJson(report.agreement),
  }
}

export function quorumText(report: QuorumReport, terminal: Terminal): string {
  const { paint } = terminal
  const { family, sizes, load, resilience, up, agreement } = report
  const size = sizesText(sizes)
  const rows: [string, string][] = [
    ['size', family.quorums === null ? `${size} (of those that nodes ask while all are up)` : size],
    ['load', `${figure(load.value)}, ${LOAD_BY[load.by]}`],
    ['resilience', resilience === null ? 'not computed for so many nodes' : resilienceSentence(resilience)],
    ['availability', availabilityText(report.availability)],
    ...(report.k > 1
      ? [[`${report.k}-coterie`, kCoterieText(report)] as [string, string]]
      : ([
          ['coterie', coterieText(report)],
          ['dominated', dominationText(report)],
        ] as [string, string][])),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${paint.bold(family.kind)}  ${counted(family.nodes, 'node')}, each up with probability ${up}`,
    ...(family.fallback === undefined ? [] : [`fallback: ${family.fallback}`]),
    '',
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(width))}  ${value}`),
    '',
    ...(agreement === null ? [] : [...agreementText(agreement, terminal), '']),
    ...listing(family.quorums, 'quorum'),
    ...(agreement === null ? [] : agreementListing(agreement)),
  ].join('\n')
}

const LOAD_BY = {
  'closed form': 'exact, by a closed form',
  fairness: 'exact: all quorums are equally large and all nodes in equally many',
  'linear program': 'exact up to rounding, by a linear program',
  'own quorums': 'if every node asks its own quorum equally often; the best choice may be better',
} as const

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

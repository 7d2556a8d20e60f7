import type { NodeId } from '@turnwise/core/algorithm'
import type { QuorumAgreement } from '@turnwise/core/quorum/agreement'
import { type AgreementFamily, firstMissedSet, loadPerEntry } from '@turnwise/core/quorum/agreement-family'
import type { QuorumFamily } from '@turnwise/core/quorum/family'
import {
  type Availability,
  availabilityOf,
  type Load,
  loadOf,
  type Resilience,
  resilienceWithin,
} from '@turnwise/core/quorum/quorum-metrics'
import { quorumSizes } from '@turnwise/core/quorum/quorums'
import { table } from '../../terminal/table.ts'
import { figure, type Terminal } from '../../terminal/terminal.ts'
import {
  availabilityText,
  braced,
  exactResilience,
  listing,
  MOST_COMPARED,
  resilienceText,
  type Sizes,
  sizesOf,
  sizesText,
} from './quorum-words.ts'

interface OneFamily {
  readonly sets: readonly (readonly NodeId[])[] | null
  readonly sizes: Sizes
  readonly load: Load
  readonly resilience: Resilience | null
  readonly availability: Availability
}

/** What a quorum agreement is worth, in the words of `agreement-family.ts`. */
export interface AgreementReport {
  readonly request: OneFamily
  readonly acquired: OneFamily
  readonly both: Pick<OneFamily, 'load' | 'resilience' | 'availability'>
  /** Two sets that do not meet, null if there are none, undefined if there are too many to tell. */
  readonly missed: ReturnType<typeof firstMissedSet> | undefined
}

export function agreementReport(
  family: AgreementFamily,
  own: QuorumAgreement,
  up: number,
  seed: number,
): AgreementReport {
  const { nodes, request, acquired, both } = family
  const one = (sets: QuorumFamily, of: (node: NodeId) => readonly NodeId[]): OneFamily => ({
    sets: sets.quorums,
    sizes: sets.quorums === null ? quorumSizes({ kind: sets.kind, nodes, of }) : sizesOf(sets.quorums),
    load: loadOf(sets, of),
    resilience: resilienceWithin(sets),
    availability: availabilityOf(sets, up, seed),
  })
  const asked = one(request, (node) => own.request(node))
  const told = request === acquired ? asked : one(acquired, (node) => own.acquired(node))
  const load = loadPerEntry(family, own)
  const [requests, holders] = [request.quorums, acquired.quorums]
  const canCompare =
    requests !== null && holders !== null && Math.max(requests.length, holders.length) <= MOST_COMPARED
  return {
    request: asked,
    acquired: told,
    both:
      both === request
        ? { ...asked, load }
        : { load, resilience: resilienceWithin(both), availability: availabilityOf(both, up, seed) },
    missed: canCompare ? firstMissedSet(requests, holders) : undefined,
  }
}

/** Other programs rely on these names. */
export function agreementJson({ request, acquired, both, missed }: AgreementReport) {
  const one = ({ sets, sizes, load, resilience, availability }: OneFamily) => ({
    count: sets?.length ?? null,
    sets,
    sizes,
    load,
    resilience: exactResilience(resilience),
    resilienceWithin: resilience,
    availability,
  })
  return {
    meet: missed === undefined ? null : missed === null,
    missed: missed ?? null,
    request: one(request),
    acquired: one(acquired),
    both: {
      load: both.load,
      resilience: exactResilience(both.resilience),
      resilienceWithin: both.resilience,
      availability: both.availability,
    },
  }
}

export function agreementText(report: AgreementReport, terminal: Terminal): string[] {
  const { request, acquired, both, missed } = report
  const worth = ({ load, resilience, availability }: AgreementReport['both']) => [
    load.by === 'own quorums' ? `at most ${figure(load.value)}` : figure(load.value),
    resilienceText(resilience),
    availabilityText(availability),
  ]
  const row = (name: string, one: OneFamily) => [
    name,
    one.sets === null ? 'many' : figure(one.sets.length),
    sizesText(one.sizes),
    ...worth(one),
  ]
  const heads = ['sets', 'count', 'size', 'load', 'resilience', 'availability']
  const rows = [row('request', request), row('acquired', acquired), ['one of each', '', '', ...worth(both)]]
  return [
    `As an agreement (Q, Q^-1), one set to ask and one to tell: ${meetingText(missed)}`,
    '',
    ...table(terminal, heads, rows)
      .split('\n')
      .map((line) => `  ${line}`),
  ]
}

/** The sets themselves, where they are not the quorums that are listed anyway. */
export function agreementListing({ request, acquired }: AgreementReport): string[] {
  if (request.sets === acquired.sets) return []
  return ['', ...listing(request.sets, 'request set'), '', ...listing(acquired.sets, 'acquired set')]
}

function meetingText(missed: AgreementReport['missed']): string {
  if (missed === undefined) return 'too many sets to compare'
  if (missed === null) return 'every request set meets every acquired set'
  return `${braced(missed.request)} asks and misses ${braced(missed.acquired)}`
}

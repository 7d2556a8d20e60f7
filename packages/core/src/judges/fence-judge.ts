import type { Mode, NodeId, ResourceId } from '../algorithm.ts'
import { resourcesOf } from '../resources.ts'
import type { Shapes } from '../shape.ts'
import { Findings } from './findings.ts'

/** A mesh's fences can be too large for a number; a number and a bigint can be compared. */
export type FenceNumber = number | bigint

interface Grant {
  readonly node: NodeId
  readonly fence: FenceNumber
  /** It was exclusive, and is shared since: who joins it may have its fence. */
  readonly isDowngraded?: true
}

const NONE: Grant = { node: -1, fence: Number.NEGATIVE_INFINITY }

/**
 * Fences: a later grant carries a larger number than every earlier one that it excludes, so that a resource can turn
 * away a holder that was late. Shared entries do not exclude each other, so among them numbers may repeat or fall. If k
 * may be inside together (see `Shapes.fence`), numbers rise within each of the k places, if the algorithm has places.
 * If not, a number tells entries apart, but need not rise. A grant of several resources has one number, which exceeds all earlier ones
 * of each of them.
 */
export class FenceJudge {
  readonly findings = new Findings('fence')
  readonly #entries: number
  readonly #hasPlaces: boolean
  readonly #given = new Map<FenceNumber, NodeId>()
  /** For each resource, or each place (one, if one may be inside): the largest fence of any entry, and of an exclusive entry. */
  readonly #largest = new Map<number, { any: Grant; alone: Grant }>()

  constructor(entries: number, { slots }: Pick<Shapes['fence'], 'slots'> = {}) {
    this.#entries = entries
    this.#hasPlaces = entries === 1 || slots === true
  }

  entered(at: number, node: NodeId, mode: Mode, fence: FenceNumber, resources?: readonly ResourceId[]): void {
    if (!this.#hasPlaces) return this.#distinct(at, node, fence)
    const places = this.#entries === 1 ? resourcesOf({ resources }) : [this.#placeOf(fence)]
    const stale = places
      .map((place) => this.#before(place, mode))
      .find((before) => isStale(before, mode, fence))
    if (stale !== undefined) {
      this.findings.add(
        at,
        [stale.node, node],
        `node ${node} enters with fence ${fence} after node ${stale.node} had ${stale.fence}`,
      )
      return
    }
    const grant = { node, fence }
    for (const place of places) {
      const { any, alone } = this.#largest.get(place) ?? { any: NONE, alone: NONE }
      this.#largest.set(place, {
        any: fence > any.fence ? grant : any,
        alone: mode === 'exclusive' ? grant : alone,
      })
    }
  }

  #placeOf(fence: FenceNumber): number {
    return typeof fence === 'number' ? fence % this.#entries : Number(fence % BigInt(this.#entries))
  }

  /** The last grant that one of this mode must exceed. */
  #before(place: number, mode: Mode): Grant {
    const { any, alone } = this.#largest.get(place) ?? { any: NONE, alone: NONE }
    return mode === 'exclusive' ? any : alone
  }

  /** The last exclusive entry is shared from now on; only where one may be inside. */
  downgraded(): void {
    const { any, alone } = this.#largest.get(0) ?? { any: NONE, alone: NONE }
    this.#largest.set(0, { any, alone: { ...alone, isDowngraded: true } })
  }

  #distinct(at: number, node: NodeId, fence: FenceNumber): void {
    const before = this.#given.get(fence)
    if (before === undefined) this.#given.set(fence, node)
    else this.findings.add(at, [before, node], `node ${node} enters with fence ${fence}, given out before`)
  }
}

function isStale(before: Grant, mode: Mode, fence: FenceNumber): boolean {
  const joins = mode !== 'exclusive' && before.isDowngraded === true && fence === before.fence
  return fence <= before.fence && !joins
}

import type { Mode, NodeId, ResourceId } from './algorithm.ts'
import { resourcesOf } from './resources.ts'

/** Which modes may be inside together: any number that share, and beside them one that may update. */
export function areCompatible(modes: Iterable<Mode>): boolean {
  let updates = 0
  let inside = 0
  let exclusives = 0
  for (const mode of modes) {
    inside++
    if (mode === 'update') updates++
    if (mode === 'exclusive') exclusives++
  }
  return updates <= 1 && (exclusives === 0 || inside === 1)
}

/** One that is inside: how, and with which resources. */
export interface Stay {
  readonly node: NodeId
  readonly mode: Mode
  /** Absent: the one lock. */
  readonly resources?: readonly ResourceId[] | undefined
}

/** Those who may not be inside together, and the resource that they all have. */
export interface Crowd<S extends Stay = Stay> {
  readonly resource: ResourceId
  readonly stays: readonly S[]
}

/**
 * The rule of exclusion, for every judge: of those inside with a resource there are at most `entries`, or their modes go together. Those
 * without a common resource do not exclude each other. Null if all is well.
 */
export function firstCrowd<S extends Stay>(inside: readonly S[], entries: number): Crowd<S> | null {
  if (inside.length <= entries) return null
  const byResource = new Map<ResourceId, S[]>()
  for (const stay of inside) {
    for (const resource of resourcesOf(stay)) {
      const beside = byResource.get(resource)
      if (beside === undefined) byResource.set(resource, [stay])
      else beside.push(stay)
    }
  }
  for (const [resource, stays] of byResource) {
    if (stays.length > entries && !areCompatible(stays.map(({ mode }) => mode))) return { resource, stays }
  }
  return null
}

import type { Mode } from './algorithm.ts'

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

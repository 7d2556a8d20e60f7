import type { AnyProtocol } from './algorithm.ts'
import { InvalidInput } from './invalid-input.ts'
import { listOptions } from './options.ts'

/**
 * The highest priority that a request may have; undefined where there is no bound. Refused unless the algorithm serves urgent requests
 * first, and its option allows it. Otherwise a priority would silently change nothing.
 */
export function highestPriority({ facts, options: specs }: AnyProtocol, options: object): number | undefined {
  const [name, spec] = listOptions(specs).find(([, spec]) => 'ranks' in spec || 'passing' in spec) ?? []
  if (name === undefined || spec === undefined)
    throw new InvalidInput(`${facts.name} knows no priorities, so no request can be urgent`)
  const most = (options as Readonly<Record<string, number>>)[name] ?? 0
  if (most === 0) {
    throw new InvalidInput(
      `all requests of ${facts.name} are equal while its option ${name} is 0: set ${name}=P`,
    )
  }
  return 'passing' in spec ? undefined : most
}

/** How often more urgent requests may pass another in a mesh, if nothing else is said. */
export const PASSES_IN_MESH = 64

/** How often a request may be passed by more urgent ones, if an option of the algorithm says it. */
export function passesOf({ options: specs }: AnyProtocol, options: object): number | undefined {
  const [name] = listOptions(specs).find(([, spec]) => 'passing' in spec) ?? []
  return name === undefined ? undefined : (options as Readonly<Record<string, number>>)[name]
}

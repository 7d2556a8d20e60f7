/** Requests for several resources, in the words of commands and events. */
import type { Ask, ResourceId } from './algorithm.ts'
import { invalid, wholeNumber } from './invalid-input.ts'

const THE_ONE_LOCK: readonly ResourceId[] = [0]

/** The resources of a request, a stay or an event that may name some. */
export function resourcesOf({
  resources,
}: {
  readonly resources?: readonly ResourceId[] | undefined
}): readonly ResourceId[] {
  return resources ?? THE_ONE_LOCK
}

/** The part of a request that the events of its stay tell, too. */
export function wishOf({
  mode,
  resources,
}: Pick<Ask, 'mode' | 'resources'>): Pick<Ask, 'mode' | 'resources'> {
  return resources === undefined ? { mode } : { mode, resources }
}

/** All of a request, as events tell it. A priority is told if it is not the ordinary one. */
export function requestOf({
  priority = 0,
  ...wish
}: Partial<Ask> & Pick<Ask, 'mode'>): Partial<Ask> & Pick<Ask, 'mode'> {
  return priority === 0 ? wishOf(wish) : { ...wishOf(wish), priority }
}

/** Reads `0,2`: different resources, in the order in which they are written. */
export function resourcesFrom(text: string, count?: number): ResourceId[] {
  const most = count === undefined ? undefined : count - 1
  const resources = text.split(',').map((each) => wholeNumber(each, 'a resource', 0, most))
  if (new Set(resources).size < resources.length) throw invalid(text, 'a list of different resources')
  return resources
}

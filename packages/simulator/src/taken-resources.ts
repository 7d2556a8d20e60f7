import type { Ask, ResourceId } from '@turnwise/core/algorithm'
import type { Facts } from '@turnwise/core/facts'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { type Random, sample } from '@turnwise/core/random'
import { resourcesOf } from '@turnwise/core/resources'
import type { Setup } from '@turnwise/core/setup'
import type { Load } from './load.ts'

/** A lock can be asked for by itself; of several resources a request takes two, unless it is told otherwise. */
const DEFAULT_TAKE = 2

interface World {
  readonly facts: Pick<Facts, 'name' | 'resources'>
  readonly setup: Pick<Setup, 'resources'>
  readonly load: Load
}

/** How many resources each request takes; null where there is one lock, and where a script says it line by line. */
export function takeFrom(text: string | undefined, { facts, setup, load }: World): number | null {
  const { resources } = setup
  if (text !== undefined && facts.resources !== true)
    throw new InvalidInput(`${facts.name} serves one lock, so no request can take several resources`)
  if (load.kind === 'script') {
    if (text !== undefined) throw new InvalidInput('a script says itself what a request takes')
    for (const { ask } of load.lines) checkResources(ask, resources)
    return null
  }
  if (text !== undefined) {
    const take = wholeNumber(text, 'a number of resources', 1)
    if (take > resources) throw new InvalidInput(`"${take}" is more than there are: ${resources}`)
    return take
  }
  return resources === 1 ? null : Math.min(DEFAULT_TAKE, resources)
}

function checkResources(ask: Ask, resources: number): void {
  const stray = resourcesOf(ask).find((resource) => resource >= resources)
  if (stray !== undefined)
    throw new InvalidInput(`"${stray}" is not a resource from 0 to ${resources - 1}: see --resources`)
}

/** Sets of so many resources, all equally likely, in any order: callers do not sort what they want. */
export function setDrawer(random: Random, take: number, resources: number): () => readonly ResourceId[] {
  return () => {
    const left = sample(random, take, resources)
    return Array.from({ length: take }, () => left.splice(random.below(left.length), 1)).flat()
  }
}

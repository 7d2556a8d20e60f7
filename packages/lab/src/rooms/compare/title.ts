import { catalogue } from '@turnwise/algorithms/catalogue'

/** As people call the algorithm of this name. */
export function titleOf(name: string): string {
  return catalogue.find(({ facts }) => facts.name === name)?.facts.title ?? name
}

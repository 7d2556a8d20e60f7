import { catalogue } from '@turnwise/algorithms/catalogue'

/** As people call the algorithm of this name. A name that is not in the catalogue is told as it is. */
export function algorithmTitle(name: string): string {
  return catalogue.find(({ facts }) => facts.name === name)?.facts.title ?? name
}

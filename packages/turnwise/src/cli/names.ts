import { gallery } from '@turnwise/algorithms/broken/gallery'
import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'

/** An algorithm of the catalogue or a broken variant, by its name. */
export function algorithmOrVariantNamed(name: string): AnyAlgorithm {
  return gallery.find(({ algorithm }) => algorithm.facts.name === name)?.algorithm ?? algorithmNamed(name)
}

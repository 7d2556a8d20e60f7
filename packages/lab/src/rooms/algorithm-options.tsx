import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { variantTitle } from '../run/variant-title.ts'
import { inGroups } from './algorithm-order.ts'

/** The choices of a list of algorithms. */
export function AlgorithmOptions({ of }: { of: readonly AnyProtocol[] }) {
  return inGroups(of).map(({ title, list }) => (
    <optgroup key={title} label={title}>
      {list.map(({ facts }) => (
        <option key={facts.name} value={facts.name}>
          {facts.title} ({facts.year})
        </option>
      ))}
    </optgroup>
  ))
}

/** The variants with a broken rule. */
export function VariantOptions({ of }: { of: readonly BrokenVariant<AnyProtocol>[] }) {
  return (
    <optgroup label="Broken on purpose">
      {of.map((variant) => (
        <option key={variant.algorithm.facts.name} value={variant.algorithm.facts.name}>
          {variantTitle(variant)}
        </option>
      ))}
    </optgroup>
  )
}

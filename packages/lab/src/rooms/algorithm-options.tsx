import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { variantTitle } from '../run/variant-title.ts'

const FAMILIES = {
  permission: 'Permission',
  token: 'Token',
  quorum: 'Quorum',
  multi: 'Several inside',
  zones: 'Zones',
  election: 'Election',
} as const

/** What courses and textbooks tell of, in the order in which they do. */
const WELL_KNOWN = [
  'ricart-agrawala',
  'lamport',
  'maekawa',
  'suzuki-kasami',
  'raymond',
  'naimi-trehel',
  'central-coordinator',
  'token-ring',
  'bully',
]

/** The choices of a list of algorithms: the well-known first, then all others by family and year. */
export function AlgorithmOptions({ of }: { of: readonly AnyProtocol[] }) {
  const wellKnown = WELL_KNOWN.flatMap((name) => of.filter(({ facts }) => facts.name === name))
  const groups = Object.entries(FAMILIES).map(([family, title]) => ({
    title,
    list: of
      .filter(({ facts }) => facts.family === family && !WELL_KNOWN.includes(facts.name))
      .toSorted((a, b) => a.facts.year - b.facts.year || a.facts.title.localeCompare(b.facts.title)),
  }))
  return [{ title: 'Well known', list: wellKnown }, ...groups]
    .filter(({ list }) => list.length > 0)
    .map(({ title, list }) => (
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

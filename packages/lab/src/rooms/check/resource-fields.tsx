import type { Query } from '../../shell/address.ts'
import { MOST_RESOURCES } from '../checking/check-question.ts'
import { NumberField } from './number-field.tsx'
import { setsOfSize, sizeOfSets } from './sets.ts'

interface Props {
  readonly words: Query
  readonly onChange: (changes: Query) => void
}

/** How many resources there are, and which of them a request wants; for algorithms whose requests may be for several. */
export function ResourceFields({ words, onChange }: Props) {
  const resources = Math.max(1, Math.min(MOST_RESOURCES, Number(words['resources'] ?? '1') || 1))
  const sets = words['sets'] ?? ''
  const size = sizeOfSets(sets, resources)
  const sizes = Array.from({ length: resources }, (_, i) => i + 1)
  return (
    <>
      <NumberField
        label="Resources"
        value={words['resources'] ?? '1'}
        max={MOST_RESOURCES}
        onChange={(value) => {
          const kept =
            typeof size === 'number' ? setsOfSize(Number(value), Math.min(size, Number(value))) : ''
          onChange({ resources: value, sets: kept })
        }}
      />
      {resources > 1 && (
        <label>
          A request wants
          <select
            value={size}
            onChange={({ target }) =>
              onChange({ sets: target.value === 'any' ? '' : setsOfSize(resources, Number(target.value)) })
            }
          >
            <option value="any">any of them</option>
            {sizes.map((each) => (
              <option key={each} value={each}>
                {each === resources ? `all ${each}` : each}
              </option>
            ))}
            {size === 'other' && <option value="other">{sets}</option>}
          </select>
        </label>
      )}
    </>
  )
}

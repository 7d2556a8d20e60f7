import type { Hand } from '../../run/hand.ts'
import { known, protocolNamed, type RunSpec, variantNamed, variants } from '../../run/spec.ts'
import { variantTitle } from '../../run/variant-title.ts'
import { AlgorithmOptions, VariantOptions } from '../algorithm-options.tsx'
import type { RoomProps } from '../rooms.ts'
import { type Beside, besideQuery, readBeside } from './beside.ts'
import type { Asked } from './query.ts'
import './take-away.css'

interface Props {
  readonly asked: Asked
  /** The hands of the run that this branch left; null if this is no branch. */
  readonly left: readonly Hand[] | null
  readonly go: RoomProps['go']
}

/** Which second run is shown beside this one. */
export default function CompareWith({ asked, left, go }: Props) {
  const { spec } = asked
  const show = (beside: Beside) => go(besideQuery(asked, beside))
  return (
    <div className="take-away">
      {left !== null && (
        <button type="button" onClick={() => show({ spec, hands: left })}>
          The run that this branch left
        </button>
      )}
      {nearOf(spec).map(({ label, algorithm }) => (
        <button
          key={algorithm}
          type="button"
          onClick={() => show({ spec: { ...spec, algorithm }, hands: asked.hands })}
        >
          {label}
        </button>
      ))}
      <button type="button" onClick={() => show({ spec, hands: asked.hands })}>
        The same with other settings
      </button>
      <label className="field">
        <span>Or any algorithm</span>
        <select
          value=""
          onChange={(event) => show({ spec: readBeside(event.target.value, spec).spec, hands: [] })}
        >
          <option value="" disabled>
            Choose one…
          </option>
          <AlgorithmOptions of={known} />
          <VariantOptions of={variants} />
        </select>
      </label>
      <p className="hint">Both runs have the same seed, nodes, load, delays and faults.</p>
    </div>
  )
}

/** The rule of a broken variant, and the broken variants of a rule. */
function nearOf({ algorithm }: RunSpec): { readonly label: string; readonly algorithm: string }[] {
  const variant = variantNamed(algorithm)
  if (variant !== null)
    return [{ label: `${protocolNamed(variant.of).facts.title}, with the right rule`, algorithm: variant.of }]
  return variants
    .filter(({ of }) => of === algorithm)
    .map((broken) => ({
      label: `Broken on purpose: ${variantTitle(broken)}`,
      algorithm: broken.algorithm.facts.name,
    }))
}

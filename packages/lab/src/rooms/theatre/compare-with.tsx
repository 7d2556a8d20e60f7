import type { Hand } from '../../run/hand.ts'
import type { Words } from '../../run/recorded-words.ts'
import { known, protocolNamed, type RunSpec, variantNamed, variants } from '../../run/spec.ts'
import { variantTitle } from '../../run/variant-title.ts'
import { AlgorithmOptions, VariantOptions } from '../algorithm-options.tsx'
import type { RoomProps } from '../rooms.ts'
import { type Beside, besideQuery, readBeside } from './beside.ts'
import type { Asked } from './theatre-query.ts'
import './take-away.css'

interface Props {
  readonly asked: Asked
  /** The words of the run that is shown, or why its record has none; null while that is being opened. */
  readonly words: Words | string | null
  /** The hands of the run that this branch left; null if this is no branch. */
  readonly left: readonly Hand[] | null
  readonly go: RoomProps['go']
  readonly onRecord: () => void
}

/** Which second run is shown beside this one. */
export default function CompareWith({ asked, words, left, go, onRecord }: Props) {
  return (
    <div className="take-away">
      {words !== null && typeof words !== 'string' && <Played {...{ asked, words, left, go }} />}
      <button type="button" onClick={onRecord}>
        A recorded run…
      </button>
      <p className="hint">
        {typeof words === 'string'
          ? `${words.charAt(0).toUpperCase()}${words.slice(1)}, so no run can be played for it.`
          : 'Both runs have the same seed, nodes, load, delays and faults. A recorded run has its own.'}
      </p>
    </div>
  )
}

/** Runs that are played with the words of this one. */
function Played({ asked, words, left, go }: Omit<Props, 'onRecord'> & { readonly words: Words }) {
  const { spec, hands } = words
  const show = (beside: Beside) => go(besideQuery(asked, beside, spec))
  const isRecord = asked.trace !== undefined
  return (
    <>
      {left !== null && (
        <button type="button" onClick={() => show({ spec, hands: left })}>
          The run that this branch left
        </button>
      )}
      {nearOf(spec).map(({ label, algorithm }) => (
        <button key={algorithm} type="button" onClick={() => show({ spec: { ...spec, algorithm }, hands })}>
          {label}
        </button>
      ))}
      <button type="button" onClick={() => show({ spec, hands })}>
        {isRecord ? 'The same, played here' : 'The same with other settings'}
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
    </>
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

import { nextSteps } from '../../run/next-steps.ts'
import type { Offer } from '../../run/offers.ts'
import './next-tab.css'
import type { Run } from './use-run.ts'
import type { Truth } from './use-truth.ts'

interface Props {
  readonly run: Run
  readonly truth: Truth
  readonly onAct: (offer: Offer) => void
  readonly onStep: () => void
}

/** Every step that is possible now, to choose from. Each choice is another branch of the run. */
export default function NextTab({ run, truth, onAct, onStep }: Props) {
  const { asItGoes, deliveries, wishes, own, faults, held } = nextSteps(
    run.recording,
    truth.moment,
    run.world.config,
  )
  return (
    <div className="next">
      <h3>As it goes</h3>
      {asItGoes === null ? (
        <p className="hint">
          {run.recording.isWhole ? 'The run ends here.' : 'The run is still being played.'}
        </p>
      ) : (
        <ul>
          <li>
            <button type="button" onClick={onStep}>
              {asItGoes}
            </button>
          </li>
        </ul>
      )}
      {run.isRecord ? (
        <p className="hint">This is a recording, so nothing else can be chosen.</p>
      ) : (
        <>
          <Offers
            title="A message arrives"
            offers={deliveries}
            none="No message can arrive now."
            onAct={onAct}
          />
          {held > 0 && (
            <p className="hint">
              {held === 1 ? '1 message waits' : `${held} messages wait`} behind an earlier one: channels keep
              order here.
            </p>
          )}
          {own.length > 0 && <Offers title="A node acts by itself" offers={own} none="" onAct={onAct} />}
          <Offers title="A caller acts" offers={wishes} none="No caller can act now." onAct={onAct} />
          {faults.length > 0 && <Offers title="A fault happens" offers={faults} none="" onAct={onAct} />}
          <p className="hint">
            A choice starts another branch. Click a node, a message or a channel to make it fail.
          </p>
        </>
      )}
    </div>
  )
}

function Offers({
  title,
  offers,
  none,
  onAct,
}: {
  title: string
  offers: readonly Offer[]
  none: string
  onAct: (offer: Offer) => void
}) {
  return (
    <>
      <h3>{title}</h3>
      {offers.length === 0 && <p className="hint">{none}</p>}
      <ul>
        {offers.map((offer) => (
          <li key={JSON.stringify(offer.acts)}>
            <button type="button" onClick={() => onAct(offer)}>
              {offer.label}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

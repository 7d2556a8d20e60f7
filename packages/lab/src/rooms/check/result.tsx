import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { happenings } from '@turnwise/core/trace/happening'
import { reasonsOf } from '@turnwise/core/trace/sentence'
import type { Trace } from '@turnwise/core/trace/trace'
import { useEffect, useMemo, useState } from 'react'
import { predictionText } from '../../run/counters.ts'
import { sentenceOf } from '../../run/event-sentences.ts'
import { traceText } from '../../run/opened.ts'
import { propertyTitle, propertyVerb } from '../../run/property-title.ts'
import { writeAddress } from '../../shell/address.ts'
import type { Answer } from '../checking/answer.ts'
import { packTexts } from '../theatre/packed.ts'

interface Shown {
  readonly answer: Answer
  readonly variant: BrokenVariant<AnyProtocol> | null
  /** Where the run is shown, if the page has more of it than its events. */
  readonly inTheatre?: string | null
}

export function Result({ answer, variant, inTheatre }: Shown) {
  const { complete, states, transitions, depth, properties, failure } = answer
  const count = (value: number) => value.toLocaleString('en-US')
  return (
    <section aria-label="Result" className="check-result">
      <h2 data-verdict={verdictOf(answer)}>{VERDICTS[verdictOf(answer)]}</h2>
      <p className="figures">
        {count(states)} states, {count(transitions)} transitions, depth {depth}
        {complete
          ? ''
          : failure === null
            ? ': cut short, nothing is proved'
            : ': the search ended at the failure'}
      </p>
      <ul className="check-properties">
        {properties.map(({ name, holds, reason }) => (
          <li key={name} data-holds={String(holds)}>
            <span aria-hidden="true">{holds === null ? '?' : holds ? '✓' : '✗'}</span>{' '}
            <strong title={name}>{capital(propertyTitle(name))}</strong>: {propertyVerb(name, holds)}
            {reason === null ? '' : `, ${reason}`}
          </li>
        ))}
      </ul>
      <Extremes answer={answer} />
      {failure !== null && <Counterexample failure={failure} variant={variant} inTheatre={inTheatre} />}
    </section>
  )
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const VERDICTS = { holds: '✓ Everything holds', fails: '✗ A property fails', open: '? Not decided' }

function verdictOf({ properties }: Answer): keyof typeof VERDICTS {
  if (properties.some(({ holds }) => holds === false)) return 'fails'
  return properties.every(({ holds }) => holds === true) ? 'holds' : 'open'
}

function Extremes({ answer: { messages, formula, maxOvertaking } }: { answer: Answer }) {
  if (messages === null) return null
  const { min } = messages
  const max = messages.max ?? Number.POSITIVE_INFINITY
  const range = `${min === max ? 'exactly ' : ''}${predictionText({ min, max, mean: null })}`
  return (
    <p>
      Messages per turn: <strong className="figures">{range}</strong> · theory {formula}
      {maxOvertaking === undefined ? '' : ` · a waiting node is overtaken ${howOften(maxOvertaking)}`}
    </p>
  )
}

function howOften(most: number | null): string {
  if (most === null) return 'without bound'
  return most === 1 ? 'at most once' : `at most ${most} times`
}

function Counterexample({
  failure,
  variant,
  inTheatre: given,
}: Pick<Shown, 'variant'> & {
  failure: NonNullable<Answer['failure']>
  inTheatre: string | null | undefined
}) {
  const steps = useMemo(
    () =>
      [...happenings(failure.trace)]
        .filter(({ cause }) => cause.is !== 'violation')
        .map((happening) => ({
          what: sentenceOf(happening).replace(/ \(sent [\d.]+\)/, ''),
          why: reasonsOf(happening).join(' '),
        })),
    [failure],
  )
  const packed = useTheatreAddress(failure.trace)
  const inTheatre = given ?? packed
  return (
    <div className="check-run">
      <h3>A shortest run against: {propertyTitle(failure.property)}</h3>
      <ol>
        {steps.map(({ what, why }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its number.
          <li key={index}>
            {what}
            {why !== '' && <p className="why">{why}</p>}
          </li>
        ))}
      </ol>
      <p>
        {inTheatre !== null && (
          <a className="button" href={inTheatre}>
            Watch it in the theatre
          </a>
        )}
      </p>
      {variant !== null && (
        <p>
          {variant.failure} <strong>The repair:</strong> {variant.repair}
        </p>
      )}
    </div>
  )
}

/** The run itself is in the address, so its reader need not search again. */
function useTheatreAddress(trace: Trace): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    let isWanted = true
    void packTexts([traceText(trace)]).then((word) => {
      if (isWanted) setAddress(writeAddress({ room: 'theatre', query: { trace: word } }))
    })
    return () => {
      isWanted = false
    }
  }, [trace])
  return address
}

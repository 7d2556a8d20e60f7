import { timeText } from '@turnwise/core/trace/sentence'
import { Fragment, type MouseEvent } from 'react'
import { type Counter, predictionText } from '../../run/counters.ts'
import { letterLabel } from '../../run/event-sentences.ts'
import type { Moment } from '../../run/moment.ts'
import type { Mark } from '../../scene/message-marks.ts'
import type { Handle } from './topology-view.tsx'

interface Props {
  readonly moment: Moment
  readonly marks: ReadonlyMap<string, Mark>
  readonly counter: Counter
  readonly onHandle: Handle
}

const MOST_LETTERS = 100

/** How many messages there were, beside the formula, and which are under way. */
export function MessagesTab({ moment, marks, counter, onHandle }: Props) {
  const open = (event: MouseEvent, id: number, to: number) => {
    event.preventDefault()
    const { right, top } = event.currentTarget.getBoundingClientRect()
    onHandle({ is: 'letter', id, to }, { x: event.clientX || right, y: event.clientY || top })
  }
  const { underWay } = moment
  return (
    <div className="messages">
      <CounterText counter={counter} />
      <ul className="legend" aria-label="Types of messages">
        {[...marks].map(([type, { letter, hue }]) => (
          <li key={type}>
            <span className={`sign hue-${hue}`}>{letter}</span> {type}
          </li>
        ))}
      </ul>
      <h3>{underWay.length === 0 ? 'No message is under way' : `Under way: ${underWay.length}`}</h3>
      <ul className="letters-list">
        {underWay.slice(0, MOST_LETTERS).map(({ id, from, to, message, sentAt, endsAt, isCopy, since }) => (
          <li key={`${id} ${to} ${since}`}>
            <button
              type="button"
              aria-haspopup="menu"
              onClick={(event) => open(event, id, to)}
              onContextMenu={(event) => open(event, id, to)}
            >
              <span className={`sign hue-${marks.get(message.type)?.hue ?? 1}`}>
                {marks.get(message.type)?.letter ?? '?'}
              </span>
              <span>
                {from} → {to} <span className="figures">{letterLabel(message)}</span>
                {isCopy ? ' (copy)' : ''}
              </span>
              <span className="figures times">
                {timeText(sentAt)}–{endsAt === null ? '?' : timeText(endsAt)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** "16.0 messages per entry · theory 16 (2(n-1))". */
export function CounterText({ counter }: { counter: Counter }) {
  const { perEntry, per, formula, theory, remark, sent, entries } = counter
  return (
    <p className="counter">
      <strong className="figures">{perEntry === null ? '–' : perEntry.toFixed(1)}</strong> messages per {per}
      <span className="theory">
        {' '}
        · theory{' '}
        <span className="figures">
          <Words text={theory === null ? formula : `${predictionText(theory)} (${formula})`} />
        </span>
      </span>
      <small className="figures">
        {sent} sent{per === 'election' ? '' : `, ${entries} ${entries === 1 ? 'entry' : 'entries'}`}
      </small>
      {remark !== null && <small>{remark}</small>}
    </p>
  )
}

/** A formula goes on in the next line between its words, and not within "2(n-1)". */
function Words({ text }: { text: string }) {
  return text.split(' ').map((word, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a word is its place in the text.
    <Fragment key={i}>
      {i > 0 && ' '}
      <span className="unbroken">{word}</span>
    </Fragment>
  ))
}

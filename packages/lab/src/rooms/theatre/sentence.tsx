import { reasonsOf, timeText } from '@turnwise/core/trace/sentence'
import { useRef } from 'react'
import { asSentence, sentenceOf } from '../../run/event-sentences.ts'
import type { Moment } from '../../run/moment.ts'
import { useKeptHeight } from './use-kept-height.ts'
import { useRested } from './use-rested.ts'

/** In milliseconds: after scrubbing, only the position where the visitor stops is read out. */
const REST = 300

/** What just happened, and why. While the run plays a listener would hear nothing else, so it is read out in steps only. */
export function Sentence({
  moment,
  isPlaying,
  refused,
  isRecord,
}: {
  moment: Moment
  isPlaying: boolean
  /** Actions that failed; of a record, what is missing in it. */
  refused: readonly string[]
  isRecord: boolean
}) {
  const told = moment.happening === null ? 'Nothing has happened yet.' : `${sentenceOf(moment.happening)}.`
  const text = asSentence(told)
  const why = moment.happening === null ? '' : reasonsOf(moment.happening).join(' ')
  const heard = useRested(`${text} ${why}`, REST)
  const box = useRef<HTMLDivElement>(null)
  useKeptHeight(box)
  return (
    <div className="sentence" ref={box}>
      <span className="figures">{timeText(moment.at)}</span>
      <p aria-hidden="true">{text}</p>
      <p className="visually-hidden" aria-live={isPlaying ? 'off' : 'polite'}>
        {heard}
      </p>
      <p className="reasons" aria-hidden="true">
        {why}
      </p>
      {refused.length > 0 && (
        <p className="refused">
          {isRecord ? 'The record' : 'Not done'}: {refused.join('; ')}.
        </p>
      )}
    </div>
  )
}

import type { Question } from '../../lessons/lesson-question.ts'
import { scoreOf, scoreText } from '../../lessons/predictions.ts'
import type { Asking } from './use-predictions.ts'
import type { Verdict } from './use-questions.ts'

/** What happens next? Keys 1 to 4 answer too; going on to the next sentence skips it. */
export function Prediction({
  question,
  onAnswer,
}: {
  question: Question
  onAnswer: (choice: string) => void
}) {
  return (
    <div className="prediction" role="group" aria-labelledby="prediction-asks">
      <p id="prediction-asks">{question.asks}</p>
      <div className="prediction-choices">
        {question.choices.map((choice, place) => (
          <button key={choice} type="button" onClick={() => onAnswer(choice)}>
            <kbd aria-hidden="true">{place + 1}</kbd> {choice}
          </button>
        ))}
      </div>
    </div>
  )
}

/** By a word and a sign, not by colour alone. */
export function VerdictText({ verdict: { isRight, right } }: { verdict: Verdict }) {
  return isRight ? (
    <strong className="verdict right">✓ Right.</strong>
  ) : (
    <strong className="verdict">✗ No: {right.charAt(0).toLowerCase() + right.slice(1)}.</strong>
  )
}

/** How many predictions were right, in one lesson or in all. */
export function ScoreLine({ asking, lesson }: { asking: Asking; lesson: string | null }) {
  const score = scoreOf(asking.predictions, lesson)
  return (
    <span className="score">
      <label>
        <input type="checkbox" checked={asking.isOn} onChange={({ target }) => asking.turn(target.checked)} />{' '}
        Questions
      </label>
      {score.of > 0 && (
        <>
          <span className="figures">{scoreText(score)}</span>
          <button type="button" onClick={() => asking.forget(lesson)}>
            Forget my answers
          </button>
        </>
      )}
    </span>
  )
}

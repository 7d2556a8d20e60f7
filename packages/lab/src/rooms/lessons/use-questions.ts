import { useMemo, useState } from 'react'
import type { Lesson, PlacedStep } from '../../lessons/lesson.ts'
import { type Question, questionAt } from '../../lessons/lesson-question.ts'
import type { Run } from '../theatre/use-run.ts'
import type { Asking } from './use-predictions.ts'

/** How a prediction went. */
export interface Verdict {
  readonly step: number
  readonly isRight: boolean
  /** What did happen. */
  readonly right: string
}

/** The questions of a lesson: those that are open, and how the last answer went. */
export function useQuestions(lesson: Lesson, run: Run, steps: readonly PlacedStep[], asking: Asking) {
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  const questions = useMemo(
    () => steps.map((step) => questionAt(run.recording, step)),
    [run.recording, steps],
  )
  return {
    /** The question that is to be asked before a step is told; null if there is none, or it was answered. */
    questionBefore: (step: number): Question | null => {
      const isAnswered = asking.predictions[lesson.id]?.[step] !== undefined
      return asking.isOn && !isAnswered ? (questions[step] ?? null) : null
    },
    verdictOn: (step: number): Verdict | null => (verdict?.step === step ? verdict : null),
    answered: (step: number, choice: string): void => {
      const right = questions[step]?.right
      if (right === undefined) return
      setVerdict({ step, isRight: choice === right, right })
      asking.answer(lesson.id, step, choice === right)
    },
  }
}

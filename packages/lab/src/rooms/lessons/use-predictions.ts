import { useState } from 'react'
import { type Predictions, readPredictions, withAnswer } from '../../lessons/predictions.ts'

const KEY = 'turnwise-predictions'
const ASKED = 'turnwise-questions'

/** The answers of this reader, and whether there are questions. This browser keeps both; no address does. */
export interface Asking {
  readonly predictions: Predictions
  readonly isOn: boolean
  answer(lesson: string, step: number, isRight: boolean): void
  /** Forgets all answers, or those of one lesson. */
  forget(lesson: string | null): void
  turn(isOn: boolean): void
}

export function usePredictions(): Asking {
  const [predictions, setPredictions] = useState(() => readPredictions(read(KEY)))
  const [isOn, setIsOn] = useState(() => read(ASKED) !== 'off')
  const change = (next: Predictions) => {
    write(KEY, JSON.stringify(next))
    setPredictions(next)
  }
  return {
    predictions,
    isOn,
    answer: (lesson, step, isRight) => change(withAnswer(predictions, lesson, step, isRight)),
    forget(lesson) {
      const others = Object.entries(predictions).filter(([id]) => lesson !== null && id !== lesson)
      change(Object.fromEntries(others))
    },
    turn(next) {
      write(ASKED, next ? 'on' : 'off')
      setIsOn(next)
    },
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    // Storage may be forbidden.
    return null
  }
}

/** Without storage, answers last as long as the lesson is shown. */
function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // See above.
  }
}

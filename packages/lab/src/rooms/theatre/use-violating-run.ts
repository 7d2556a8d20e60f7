import { useEffect, useRef } from 'react'
import { traceText } from '../../run/opened.ts'
import type { Question } from '../checking/check-question.ts'
import { useCheck } from '../checking/use-check.ts'
import { packTexts } from './packed.ts'

export interface ViolatingRun {
  readonly isRunning: boolean
  readonly states: number
  readonly complaint: string | null
}

/**
 * Has the checker look for the shortest run that violates a property in a small world, and shows it: the same run that the
 * room Check opens. Nothing is looked for while `question` is null; the same question is to be the same object.
 */
export function useViolatingRun(question: Question | null, show: (word: string) => void): ViolatingRun {
  const { isRunning, states, answer, complaint } = useCheck(question)
  const latest = useRef(show)
  latest.current = show
  useEffect(() => {
    if (answer?.failure == null) return undefined
    let isWanted = true
    void packTexts([traceText(answer.failure.trace)]).then((word) => isWanted && latest.current(word))
    return () => {
      isWanted = false
    }
  }, [answer])
  if (question === null) return { isRunning, states, complaint: null }
  if (answer === null || answer.failure !== null) return { isRunning, states, complaint }
  const count = answer.states.toLocaleString('en-US')
  const words = answer.complete
    ? `No run with one request of each node violates a property: all ${count} states were visited.`
    : `No violating run in the first ${count} states, the limit of the page. To search further: turnwise check ${question.algorithm}`
  return { isRunning, states, complaint: words }
}

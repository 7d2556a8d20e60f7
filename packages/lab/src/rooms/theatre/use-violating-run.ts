import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { useEffect, useMemo, useRef } from 'react'
import { traceText } from '../../run/opened.ts'
import { queryOf, readQuestion } from '../check/question.ts'
import { useCheck } from '../check/use-check.ts'
import { packTexts } from './packed.ts'

export interface ViolatingRun {
  readonly isRunning: boolean
  readonly states: number
  readonly complaint: string | null
}

/**
 * Has the checker look for the shortest run in which a broken rule shows, in the smallest world in which it does, and shows
 * it: the same run that the room Check opens. Nothing is looked for while `variant` is null.
 */
export function useViolatingRun(
  variant: BrokenVariant<AnyProtocol> | null,
  show: (word: string) => void,
): ViolatingRun {
  const question = useMemo(() => (variant === null ? null : readQuestion(queryOf(variant))), [variant])
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
  const isInVain = variant !== null && answer !== null && answer.failure === null
  const words = isInVain
    ? `No violating run in the first ${answer.states.toLocaleString('en-US')} states, the limit of the page. To ` +
      `search further: turnwise check ${variant.algorithm.facts.name}`
    : complaint
  return { isRunning, states, complaint: variant === null ? null : words }
}

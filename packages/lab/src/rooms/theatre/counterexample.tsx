import { InvalidInput } from '@turnwise/core/invalid-input'
import { useMemo } from 'react'
import { type Query, writeAddress } from '../../shell/address.ts'
import { type Question, readQuestion } from '../check/question.ts'
import { runOf } from '../check/run-of.ts'
import { useCheck } from '../check/use-check.ts'
import type { RoomProps } from '../rooms.ts'
import { Recorded } from './recorded.tsx'

/** The shortest run that breaks a property. It is not in the address: the question is, and it is answered again. */
export function Counterexample({ query, go }: RoomProps) {
  const asked = JSON.stringify({ ...query, at: '' })
  const { question, complaint } = useMemo(() => read(JSON.parse(asked)), [asked])
  const { answer, isRunning, states, complaint: trouble } = useCheck(question)
  const run = useMemo(
    () => (question === null || answer?.failure == null ? null : runOf(question, answer.failure.trace)),
    [question, answer],
  )
  const { of: _, at: __, ...back } = query
  const toCheck = <a href={writeAddress({ room: 'check', query: back })}>Back to the check</a>
  if (run !== null && answer?.failure != null) {
    const { property, reason } = answer.failure
    return (
      <Recorded
        run={run}
        query={query}
        go={go}
        about={
          <>
            <h1>
              {question?.algorithm}: a shortest run against {property}
            </h1>
            <p>
              {reason}. {toCheck}
            </p>
          </>
        }
      />
    )
  }
  const words = complaint ?? trouble ?? (answer === null ? null : 'Nothing fails: there is no run to show.')
  return (
    <main className="theatre">
      <h1 className="visually-hidden">A counterexample</h1>
      {isRunning && <p className="hint loading">Searching: {states.toLocaleString('en-US')} states…</p>}
      {words !== null && (
        <p className="complaint" role="alert">
          {words} {toCheck}
        </p>
      )}
    </main>
  )
}

function read(query: Query): { question: Question | null; complaint: string | null } {
  try {
    return { question: readQuestion(query), complaint: null }
  } catch (error) {
    if (error instanceof InvalidInput) return { question: null, complaint: error.message }
    throw error
  }
}

import { InvalidInput } from '@turnwise/core/invalid-input'
import { useMemo, useRef } from 'react'
import { variants } from '../../run/spec.ts'
import type { RoomProps } from '../rooms.ts'
import './check.css'
import { type Question, readQuestion } from '../checking/check-question.ts'
import { useCheck } from '../checking/use-check.ts'
import { Gallery } from './gallery.tsx'
import { QuestionForm } from './question-form.tsx'
import { Result } from './result.tsx'

export default function CheckRoom({ query, go }: RoomProps) {
  // The same text asks the same question, and is answered once.
  const asked = JSON.stringify(query)
  const { question, complaint } = useMemo(() => read(JSON.parse(asked)), [asked])
  const checking = useCheck(question)
  const outcome = useRef<HTMLElement>(null)
  const variant = variants.find(({ algorithm }) => algorithm.facts.name === question?.algorithm)
  const words = complaint ?? checking.complaint
  return (
    <main className="check">
      <header>
        <h1>Every interleaving</h1>
        <p>
          Explores everything that can happen in a small world, in every order. A property that holds here
          holds in every run of that world. A property that fails is shown by a shortest run.
        </p>
      </header>
      <QuestionForm key={asked} query={query} onCheck={(next) => go(next)} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: focused by the gallery, and by nothing else */}
      <section ref={outcome} className="check-outcome" aria-label="Outcome" tabIndex={-1}>
        <div aria-live="polite" className="check-progress">
          {checking.isRunning && (
            <>
              <progress aria-label="Searching" />
              <span className="figures">
                {checking.states.toLocaleString('en-US')} states,{' '}
                {checking.statesPerSecond.toLocaleString('en-US')} a second
              </span>
              <button type="button" onClick={checking.stop}>
                Stop
              </button>
            </>
          )}
          {words !== null && (
            <p role="alert" className="complaint">
              {words}
            </p>
          )}
        </div>
        {checking.answer !== null && <Result answer={checking.answer} variant={variant ?? null} />}
      </section>
      <Gallery
        chosen={question?.algorithm ?? null}
        onCheck={(next) => {
          go(next)
          // The gallery is some pages long, and what it asks for is answered above it.
          outcome.current?.scrollIntoView({ block: 'start' })
          outcome.current?.focus({ preventScroll: true })
        }}
      />
    </main>
  )
}

function read(query: RoomProps['query']): { question: Question | null; complaint: string | null } {
  try {
    return { question: readQuestion(query), complaint: null }
  } catch (error) {
    if (error instanceof InvalidInput) return { question: null, complaint: error.message }
    throw error
  }
}

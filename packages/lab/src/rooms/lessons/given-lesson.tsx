import { readTrace } from '@turnwise/core/trace/trace'
import { type ReactNode, type RefObject, useMemo, useRef } from 'react'
import { type Lesson, type PlacedStep, placeSteps, stepAt } from '../../lessons/lesson.ts'
import { lessons } from '../../lessons/lessons.ts'
import { openTrace, worldIn } from '../../run/opened.ts'
import { record } from '../../run/recording-builder.ts'
import { playable } from '../../run/spec.ts'
import { writeAddress } from '../../shell/address.ts'
import { type KeyGroup, useKeys } from '../../shell/key-bindings.ts'
import type { RoomProps } from '../rooms.ts'
import { Playing } from '../theatre/playing.tsx'
import '../theatre/theatre.css'
import { get } from '@turnwise/core/bounds'
import { writeQuery } from '../theatre/theatre-query.ts'
import { usePlayback } from '../theatre/use-playback.ts'
import { type Run, useRun } from '../theatre/use-run.ts'
import { Prediction, ScoreLine, VerdictText } from './prediction.tsx'
import { type Asking, usePredictions } from './use-predictions.ts'
import { useQuestions, type Verdict } from './use-questions.ts'
import { type Telling, useTelling } from './use-telling.ts'

type Given = Pick<RoomProps, 'query' | 'go'> & { readonly lesson: Lesson }

/** A lesson is given on a run of the simulator, or on one that the checker has found. */
export function GivenLesson({ lesson, query, go }: Given) {
  return 'run' in lesson.shows ? (
    <OnSimulated lesson={lesson} query={query} go={go} spec={lesson.shows.run} />
  ) : (
    <OnCounterexample lesson={lesson} query={query} go={go} found={lesson.shows.found} />
  )
}

function OnSimulated({ spec, ...given }: Given & { spec: Run['spec'] }) {
  const { run, complaint } = useRun(spec, NO_HANDS)
  // Sentences are placed in the run as a whole.
  if (run?.recording.isWhole !== true)
    return <Waiting title={given.lesson.title} words={complaint ?? 'Playing the run…'} />
  return <OnRun {...given} run={{ ...run, isRecord: true }} />
}

const NO_HANDS: Run['hands'] = []

function OnCounterexample({ found, ...given }: Given & { found: string }) {
  const run = useMemo((): Run => {
    const { spec, played } = openTrace({ trace: readTrace(found), notes: [] }, playable)
    const recording = record(played)
    return { spec, hands: NO_HANDS, world: worldIn(spec), recording, refused: [], isRecord: true }
  }, [found])
  return <OnRun {...given} run={run} />
}

function Waiting({ title, words }: { title: string; words: string }) {
  return (
    <main className="theatre">
      <h1 className="visually-hidden">{title}</h1>
      <p className="hint loading">{words}</p>
    </main>
  )
}

function OnRun({ lesson, run, query, go }: Given & { run: Run }) {
  const at = query['at']
  const playback = usePlayback(run.recording, at !== undefined && /^\d+$/.test(at) ? Number(at) : 0)
  const steps = useMemo(
    () => placeSteps(lesson, run.recording).filter((step): step is PlacedStep => step !== null),
    [lesson, run],
  )
  const current = stepAt(steps, playback.cursor.position)
  const asking = usePredictions()
  const { questionBefore, verdictOn, answered } = useQuestions(lesson, run, steps, asking)
  const telling = useTelling(playback, steps, at === undefined, (step) => questionBefore(step) !== null)
  const next = useRef<HTMLButtonElement>(null)
  const question = questionBefore(current + 1)
  const answer = (choice: string) => {
    answered(current + 1, choice)
    telling.goOn()
    // The choices go, and with them the focus of who chose by keyboard.
    next.current?.focus()
  }
  useLessonKeys({
    on: () => telling.goTo(get(steps, Math.min(steps.length - 1, current + 1))),
    back: () => telling.goTo(get(steps, Math.max(0, current - 1))),
    choose(place) {
      const choice = question?.choices[place]
      if (choice !== undefined) answer(choice)
    },
  })
  const share = () => {
    go({ ...query, at: String(playback.cursor.position) }, 'replace')
    void navigator.clipboard?.writeText(window.location.href).catch(() => {
      // Without leave to write there the address is still in the bar.
    })
  }
  return (
    <main className={question === null ? 'theatre lesson' : 'theatre lesson asking'}>
      <Words {...{ lesson, steps, current, telling, asking, next }} verdict={verdictOn(current)}>
        {question !== null && <Prediction question={question} onAnswer={answer} />}
      </Words>
      <Playing
        run={run}
        playback={playback}
        share={share}
        branches={null}
        nextBranch={() => {}}
        onAct={() => {}}
      />
    </main>
  )
}

interface LessonDoings {
  readonly on: () => void
  readonly back: () => void
  readonly choose: (place: number) => void
}

/** What the clickers of presenters send, and the answers to a question. */
function useLessonKeys(doings: LessonDoings): void {
  const latest = useRef(doings)
  latest.current = doings
  const group = useMemo<KeyGroup>(
    () => ({
      title: 'Lesson',
      keys: [
        { keys: ['PageDown'], does: 'the next sentence', run: () => latest.current.on() },
        { keys: ['PageUp'], does: 'the sentence before', run: () => latest.current.back() },
        ...['1', '2', '3', '4'].map((key, place) => ({
          keys: [key],
          does: `answer ${key} to the question`,
          run: () => latest.current.choose(place),
        })),
      ],
    }),
    [],
  )
  useKeys(group)
}

interface WordsProps {
  readonly lesson: Lesson
  readonly steps: readonly PlacedStep[]
  readonly current: number
  readonly telling: Telling
  readonly asking: Asking
  /** How the prediction of this step went; null if there was none. */
  readonly verdict: Verdict | null
  /** The button that goes on. */
  readonly next: RefObject<HTMLButtonElement | null>
  /** The question before the next sentence, if there is one. */
  readonly children: ReactNode
}

function Words({ lesson, steps, current, telling, asking, verdict, next, children }: WordsProps) {
  const following = get(lessons, (lessons.indexOf(lesson) + 1) % lessons.length)
  const isLast = current === steps.length - 1
  const { address, label } = elsewhere(lesson)
  return (
    <section className="lesson-words" aria-label="Lesson">
      <div className="lesson-head">
        <h1>{lesson.title}</h1>
        <ScoreLine asking={asking} lesson={lesson.id} />
      </div>
      <p className="lesson-says" aria-live="polite">
        {verdict !== null && (
          <>
            <VerdictText verdict={verdict} />{' '}
          </>
        )}
        {get(steps, current).says}
      </p>
      {children}
      <div className="lesson-buttons">
        <button
          type="button"
          disabled={current === 0}
          onClick={() => telling.goTo(get(steps, Math.max(0, current - 1)))}
        >
          Back
        </button>
        <button
          type="button"
          className="primary"
          ref={next}
          disabled={isLast}
          onClick={() => telling.goTo(get(steps, Math.min(steps.length - 1, current + 1)))}
        >
          Next
        </button>
        <button
          type="button"
          disabled={isLast}
          onClick={() => telling.toggle()}
          aria-pressed={telling.isGoing}
        >
          {telling.isGoing ? 'Stop' : 'Play by itself'}
        </button>
        <span className="figures">
          {current + 1} of {steps.length}
        </span>
        <a href={address}>{label}</a>
        <a href="#/lessons">All lessons</a>
        <a href={writeAddress({ room: 'lessons', query: { lesson: following.id } })}>
          Next lesson: {following.title}
        </a>
      </div>
    </section>
  )
}

/** The same run where hands can be laid on it; a counterexample where it is searched for. */
function elsewhere({ shows }: Lesson): { readonly address: string; readonly label: string } {
  if ('check' in shows)
    return { address: writeAddress({ room: 'check', query: shows.check }), label: 'See the search' }
  const query = writeQuery({ spec: shows.run, hands: [], position: null })
  return { address: writeAddress({ room: 'theatre', query }), label: 'Break it yourself' }
}

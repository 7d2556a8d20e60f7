import type { Lesson } from '../../lessons/lesson.ts'
import { lessons } from '../../lessons/lessons.ts'
import { type Score, scoreOf, scoreText } from '../../lessons/predictions.ts'
import { writeAddress } from '../../shell/address.ts'
import type { RoomProps } from '../rooms.ts'
import './lessons.css'
import { GivenLesson } from './given-lesson.tsx'
import { ScoreLine } from './prediction.tsx'
import { usePredictions } from './use-predictions.ts'

export default function Lessons({ query, go }: RoomProps) {
  const wanted = query['lesson']
  const lesson = lessons.find(({ id }) => id === wanted)
  if (lesson !== undefined) return <GivenLesson key={lesson.id} lesson={lesson} query={query} go={go} />
  return <LessonList wanted={wanted} />
}

function LessonList({ wanted }: { wanted: string | undefined }) {
  const asking = usePredictions()
  return (
    <main className="lessons">
      <header>
        <h1>Lessons</h1>
        <p>
          Runs with an explanation for each step. Each takes a minute or two, and you can stop and step at any
          moment. At some steps you are asked what happens next, before you see it.
        </p>
        <ScoreLine asking={asking} lesson={null} />
      </header>
      {wanted !== undefined && (
        <p role="alert" className="complaint">
          There is no lesson “{wanted}”.
        </p>
      )}
      <ol className="lesson-cards">
        {lessons.map((each) => (
          <li key={each.id}>
            <Card lesson={each} score={scoreOf(asking.predictions, each.id)} />
          </li>
        ))}
      </ol>
    </main>
  )
}

function Card({ lesson: { id, title, about, paper, steps }, score }: { lesson: Lesson; score: Score }) {
  return (
    <a href={writeAddress({ room: 'lessons', query: { lesson: id } })}>
      <strong>{title}</strong>
      <span>{about}</span>
      <small>
        {paper} · {steps.length}&nbsp;steps
        {score.of > 0 && ` · ${scoreText(score)}`}
      </small>
    </a>
  )
}

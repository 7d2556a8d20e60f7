import type { Lesson } from '../../lessons/lesson.ts'
import { lessons } from '../../lessons/lessons.ts'
import { writeAddress } from '../../shell/address.ts'
import type { RoomProps } from '../rooms.ts'
import './lessons.css'
import { GivenLesson } from './given-lesson.tsx'

export default function Lessons({ query, go }: RoomProps) {
  const wanted = query['lesson']
  const lesson = lessons.find(({ id }) => id === wanted)
  if (lesson !== undefined) return <GivenLesson key={lesson.id} lesson={lesson} query={query} go={go} />
  return (
    <main className="lessons">
      <header>
        <h1>Lessons</h1>
        <p>
          Runs with an explanation for each step. Each takes a minute or two, and you can stop and step at any
          moment.
        </p>
      </header>
      {wanted !== undefined && (
        <p role="alert" className="complaint">
          There is no lesson “{wanted}”.
        </p>
      )}
      <ol className="lesson-cards">
        {lessons.map((each) => (
          <li key={each.id}>
            <Card lesson={each} />
          </li>
        ))}
      </ol>
    </main>
  )
}

function Card({ lesson: { id, title, about, paper, steps } }: { lesson: Lesson }) {
  return (
    <a href={writeAddress({ room: 'lessons', query: { lesson: id } })}>
      <strong>{title}</strong>
      <span>{about}</span>
      <small>
        {paper} · {steps.length}&nbsp;steps
      </small>
    </a>
  )
}

import { answers } from '@turnwise/workshop/exercise-answers'
import { exercises } from '@turnwise/workshop/exercises'

/** What each exercise is about. */
export function exerciseTable(): string {
  const rows = exercises.map(({ slug, title, question }) => `| \`${slug}\` | ${title} | ${question} |`)
  return ['| exercise | title | question |', '| --- | --- | --- |', ...rows].join('\n')
}

export function answerList(): string {
  return exercises
    .map(({ slug, title }) => {
      const answer = answers[slug]
      if (answer === undefined) throw new Error(`${slug} has no answer`)
      return `### ${slug}: ${title}\n${answer}`
    })
    .join('\n\n')
}

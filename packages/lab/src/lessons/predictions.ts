/** What a reader predicted: by lesson, then by the number of the step, whether it was right. Skipped questions are not in it. */
export type Predictions = Readonly<Record<string, Readonly<Record<string, boolean>>>>

export interface Score {
  readonly right: number
  /** How many questions were answered. */
  readonly of: number
}

/** The first answer to a question counts. */
export function withAnswer(all: Predictions, lesson: string, step: number, isRight: boolean): Predictions {
  return { ...all, [lesson]: { [step]: isRight, ...all[lesson] } }
}

/** Of one lesson, or of all. */
export function scoreOf(all: Predictions, lesson: string | null): Score {
  const answers = Object.entries(all)
    .filter(([id]) => lesson === null || id === lesson)
    .flatMap(([, steps]) => Object.values(steps))
  return { right: answers.filter(Boolean).length, of: answers.length }
}

export function scoreText({ right, of }: Score): string {
  return `${right} of ${of} predicted`
}

/** What storage holds may be anything: what cannot be read is no answer. */
export function readPredictions(text: string | null): Predictions {
  try {
    const kept: unknown = JSON.parse(text ?? '{}')
    return Object.fromEntries(
      Object.entries(kept as object).map(([lesson, steps]: [string, unknown]) => [
        lesson,
        Object.fromEntries(
          Object.entries(steps as object).filter(([, isRight]) => typeof isRight === 'boolean'),
        ),
      ]),
    )
  } catch {
    return {}
  }
}

import { sentenceOf } from '../run/event-sentences.ts'
import type { Recording } from '../run/recording.ts'
import type { RunSpec } from '../run/spec.ts'
import type { Query } from '../shell/address.ts'

/** A run that explains itself, one sentence after another. */
export interface Lesson {
  readonly id: string
  readonly title: string
  /** What the lesson teaches. */
  readonly about: string
  /** Author, year, section. */
  readonly paper: string
  /** A run of the simulator, or a question and the shortest counterexample, as a trace: a reader does not wait for a search. */
  readonly shows: { readonly run: RunSpec } | { readonly check: Query; readonly found: string }
  readonly steps: readonly LessonStep[]
}

export interface LessonStep {
  /** The next happening whose sentence this matches; null for the beginning. */
  readonly when: RegExp | null
  /** What the reader is asked before it is told; nothing if it is left out. */
  readonly asks?: Asks
  readonly says: string
}

/** What a node does in this happening, who enters next, or who becomes the coordinator. */
export type Asks = 'does' | 'enters' | 'elects'

/** A step where it belongs in the run. */
export interface PlacedStep {
  readonly position: number
  readonly asks?: Asks | undefined
  readonly says: string
}

/** Steps are found one after the other. A step that is not found is null: a lesson that does not fit its run. */
export function placeSteps({ steps }: Lesson, { happenings }: Recording): (PlacedStep | null)[] {
  const sentences = happenings.map((happening) => sentenceOf(happening))
  let from = 0
  return steps.map(({ when, asks, says }) => {
    if (when === null) return { position: 0, says }
    const found = sentences.findIndex((text, index) => index >= from && when.test(text))
    if (found === -1) return null
    from = found + 1
    return { position: from, asks, says }
  })
}

/** The step that is told at a position: the last that has been reached. */
export function stepAt(steps: readonly PlacedStep[], position: number): number {
  return Math.max(
    0,
    steps.findLastIndex((step) => step.position <= position),
  )
}

/** How long a sentence is left to be read, in milliseconds: at about 200 words a minute, and never in a hurry. */
export function readingTime({ says }: PlacedStep): number {
  return Math.max(2500, says.split(' ').length * 300)
}

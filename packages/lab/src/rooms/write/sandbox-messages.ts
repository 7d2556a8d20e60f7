import type { Place } from '@turnwise/workshop/faulty-text'
import type { World } from '@turnwise/workshop/world'
import type { Opened } from '../../run/opened.ts'
import type { Answer, Searching } from '../checking/answer.ts'

/** A text, and the worlds in which it is checked, one after the other up to the first that fails. */
export interface WriteTask {
  readonly text: string
  readonly worlds: readonly World[]
}

/** What the sandbox says: how far it is, what is wrong with the text, or the result. */
export type WriteAnswer =
  | Searching
  | { readonly is: 'faulty'; readonly what: string; readonly place: Place | null }
  | {
      readonly is: 'checked'
      readonly answer: Answer
      /** How many of the worlds were checked, the last one with this answer. */
      readonly worlds: number
      /** The run that breaks a property, for the theatre; null if there is none, or it cannot be shown. */
      readonly opened: Opened | null
    }

/** A process that is asked. */
import { answerBy, say } from '../src/program-answers.ts'

export type Question =
  | { readonly says: string }
  | { readonly fails: string }
  /** A text of so many characters. */
  | { readonly tellsLong: number }
  /** Answered after this was said. */
  | { readonly waitsFor: string }

// Who has used it has a pipe that does not wait until there is room.
process.stdout.write('')

const waiting = new Map<string, () => void>()

answerBy((question: Question) => {
  if ('fails' in question) throw new RangeError(question.fails)
  if ('waitsFor' in question) {
    const { waitsFor } = question
    return new Promise((resolve) => waiting.set(waitsFor, () => resolve(`waited for ${waitsFor}`)))
  }
  if ('tellsLong' in question) return 'x'.repeat(question.tellsLong)
  say(question)
  waiting.get(question.says)?.()
  return question.says
})

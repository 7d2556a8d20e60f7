/** A process that is asked. */
import { answerBy, say } from '../../src/fleet/answers.ts'

export type Question =
  | { readonly says: string }
  | { readonly fails: string }
  /** Answered after this was said. */
  | { readonly waitsFor: string }

const waiting = new Map<string, () => void>()

answerBy((question: Question) => {
  if ('fails' in question) throw new RangeError(question.fails)
  if ('waitsFor' in question) {
    const { waitsFor } = question
    return new Promise((resolve) => waiting.set(waitsFor, () => resolve(`waited for ${waitsFor}`)))
  }
  say(question)
  waiting.get(question.says)?.()
  return question.says
})

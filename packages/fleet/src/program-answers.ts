/** For a process that `Program.ask` asks: how it answers, and says what else there is to say. */
import { writeSync } from 'node:fs'

export interface Failure {
  readonly name: string
  readonly message: string
}

export type Reply = { readonly ticket: number } & (
  | { readonly value: unknown }
  | { readonly failure: Failure }
)

/** How the line of an answer begins, and no other. */
export const ANSWER = '{"ticket":'

interface Asked {
  readonly ticket: number
  /** Of the kind that the two sides have agreed upon. */
  readonly question: never
}

/** Answers what it is asked, and ends with the program that started it. */
export function answerBy(answer: (question: never) => unknown): void {
  const reply = async ({ ticket, question }: Asked) => {
    try {
      say({ ticket, value: (await answer(question)) ?? null })
    } catch (error) {
      say({ ticket, failure: failureOf(error) })
    }
  }
  process.on('message', (asked: Asked) => void reply(asked))
  process.on('disconnect', () => process.exit())
}

/** A line of JSON that is written when this returns: a process that is killed or stopped right after has said it. */
export function say(line: object): void {
  let rest = Buffer.from(`${JSON.stringify(line)}\n`)
  while (rest.length > 0) rest = rest.subarray(written(rest))
}

/** How much of it: a pipe takes as much at a time as it has room for. */
function written(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    return 0
  }
}

function failureOf(error: unknown): Failure {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: '', message: String(error) }
}

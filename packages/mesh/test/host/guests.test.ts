import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { Guests } from '../../src/host/guests.ts'
import type { Message } from '../../src/protocol/messages.ts'

const MESSAGES: readonly Message[] = [1, 2, 3].map((epoch) => ({ type: 'thaw', epoch }))

/** Guests whose rows are asked for by the test. */
function guests(members: readonly string[] = []) {
  const heard: string[] = []
  const questions: { session: string; answer: (has: boolean | Error) => void }[] = []
  const { receive } = new Guests({
    isMember: (session) => members.includes(session),
    hasRow: (session) =>
      new Promise((resolve, reject) => {
        const answer = (has: boolean | Error) => (has instanceof Error ? reject(has) : resolve(has))
        questions.push({ session, answer })
      }),
    receive: (from, message) => heard.push(`${from} ${'epoch' in message ? message.epoch : ''}`),
    patience: 1_000_000,
  })
  const asked = () => questions.map(({ session }) => session)
  const answer = async (has: boolean | Error) => {
    questions.at(-1)?.answer(has)
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return { receive, heard, asked, answer }
}

test('a member of the view is heard at once', () => {
  const { receive, heard, asked } = guests(['a'])
  for (const message of MESSAGES) receive('a', message)
  expect(heard).toEqual(['a 1', 'a 2', 'a 3'])
  expect(asked()).toEqual([])
})

test('another session is heard when its row was read, in the order of its messages', async () => {
  const { receive, heard, asked, answer } = guests(['a'])
  receive('b', get(MESSAGES, 0))
  receive('b', get(MESSAGES, 1))
  expect(heard).toEqual([])
  await answer(true)
  receive('b', get(MESSAGES, 2))
  expect(heard).toEqual(['b 1', 'b 2', 'b 3'])
  expect(asked()).toEqual(['b'])
})

test('a session without a row is not heard, and not looked up for each of its messages', async () => {
  const { receive, heard, asked, answer } = guests()
  receive('stranger', get(MESSAGES, 0))
  await answer(false)
  for (const message of MESSAGES) receive('stranger', message)
  expect(heard).toEqual([])
  expect(asked()).toEqual(['stranger'])
})

test('if the register does not answer, the next message asks again', async () => {
  const { receive, heard, asked, answer } = guests()
  receive('b', get(MESSAGES, 0))
  await answer(new Error('away'))
  receive('b', get(MESSAGES, 1))
  await answer(true)
  expect(heard).toEqual(['b 2'])
  expect(asked()).toEqual(['b', 'b'])
})

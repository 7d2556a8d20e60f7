import { afterEach, expect, test } from 'vitest'
import { program } from '../../../test/program.ts'
import { ProcessFailure, Program } from '../src/program.ts'
import type { Question } from './answering.ts'

const ANSWERING = await program(new URL('answering.ts', import.meta.url))
let programs: Program<Question>[] = []

function start(): Program<Question> {
  const started = new Program<Question>([ANSWERING], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  programs.push(started)
  return started
}

afterEach(async () => {
  await Promise.all(programs.map((each) => each.end()))
  programs = []
})

test('answers reach the question that they answer, also one that was asked later', async () => {
  const started = start()
  const first = started.ask<string>({ waitsFor: 'second' })
  const second = started.ask<string>({ says: 'second' })
  expect([await second, await first]).toEqual(['second', 'waited for second'])
})

test('what it says besides is heard before the answer that comes after it', async () => {
  const started = start()
  const heard: unknown[] = []
  started.hear = (line) => heard.push(JSON.parse(line))
  await started.ask({ says: 'x' })
  expect(heard).toEqual([{ says: 'x' }])
})

test('an answer may be longer than a pipe has room for', async () => {
  const started = start()
  expect(await started.ask<string>({ tellsLong: 20_000_000 })).toHaveLength(20_000_000)
})

test('a failure is told as it was, and the process goes on', async () => {
  const started = start()
  const failed = await started.ask({ fails: 'no such thing' }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(ProcessFailure)
  expect(failed).toMatchObject({ name: 'RangeError', message: 'no such thing' })
  expect(await started.ask({ says: 'still here' })).toBe('still here')
})

test('nobody waits for the dead, nor longer than said', async () => {
  const started = start()
  await expect(started.ask({ waitsFor: 'nothing' }, 20)).rejects.toThrow('20 ms passed before it answered')
  const asked = started.ask({ waitsFor: 'nothing' })
  asked.catch(() => {})
  await started.end()
  await expect(asked).rejects.toThrow('it ended before it answered {"waitsFor":"nothing"}')
  await expect(started.ask({ says: 'x' })).rejects.toThrow('it ended')
  expect([await started.code, started.isKilled]).toEqual([137, true])
})

test('one that cannot be started says why', async () => {
  const { code, err } = await new Program([], { file: '/nowhere' }).ended
  expect([code, err]).toEqual([-2, 'spawn /nowhere ENOENT'])
})

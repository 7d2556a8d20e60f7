import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Crew } from '@turnwise/fleet/crew'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RefereeLine } from '../src/referee-line.ts'
import type { Entry } from '../src/torture-messages.ts'

const crew = new Crew('turnwise-referee-')
const log = join(crew.directory, 'log.jsonl')
let port = 0

beforeAll(async () => {
  const referee = crew.start(fileURLToPath(new URL('../src/referee.ts', import.meta.url)), [log])
  const [word] = (await once(referee.child, 'message')) as [{ port: number }]
  port = word.port
})
afterAll(() => crew.close())

function logged(): Entry[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry)
}

test('what is told is in the log, with what the register made of it, before it is answered', async () => {
  const line = await RefereeLine.open(port, { id: 'a', life: 1 }, () => {})
  line.tell({ is: 'asks', turn: 1, name: 'L', mode: 'exclusive', at: 5 })
  const read = { is: 'reads', turn: 1, name: 'L', mode: 'exclusive', fence: '7' } as const
  expect(await line.access(read)).toEqual({ turn: 1, taken: true, value: 0 })
  const write = { is: 'writes', turn: 1, name: 'L', fence: '7', value: 1 } as const
  expect(await line.access(write)).toEqual({ turn: 1, taken: true, value: 1 })
  expect(await line.access({ ...write, fence: '6', value: 9 })).toEqual({ turn: 1, taken: false, value: 1 })
  const who = { id: 'a', life: 1 }
  expect(logged()).toEqual([
    { ...who, is: 'asks', turn: 1, name: 'L', mode: 'exclusive', at: 5 },
    { ...who, ...read, taken: true, value: 0 },
    { ...who, ...write, taken: true, value: 1 },
    { ...who, ...write, fence: '6', taken: false, value: 1 },
  ])
  line.close()
})

test('a process that dies in the middle of a word ends its connection, and nothing else', async () => {
  const before = logged().length
  const dying = connect(port, '127.0.0.1')
  await once(dying, 'connect')
  await new Promise<void>((done) => {
    dying.write(`${JSON.stringify({ id: 'b', life: 2 })}\n{"is":"joined","at":1}\n{"is":"bea`, () => done())
  })
  // As the system does for a process that had not read all of its answers.
  dying.resetAndDestroy()
  const line = await RefereeLine.open(port, { id: 'c', life: 3 }, () => {})
  const read = { is: 'reads', turn: 1, name: 'M', mode: 'shared', fence: '1' } as const
  await line.access(read)
  const after = logged().slice(before)
  expect(after).toContainEqual({ id: 'c', life: 3, ...read, taken: true, value: 0 })
  expect(after.filter((entry) => 'id' in entry && entry.id === 'b').every(({ is }) => is === 'joined')).toBe(
    true,
  )
  line.close()
})

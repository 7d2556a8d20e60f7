import { expect, test } from 'vitest'
import { Flushes } from '../../src/transport/flushes.ts'

const turned = () => new Promise<void>((resolve) => void setImmediate(resolve))

test('what the program sends is written when the event loop has turned, the last first', async () => {
  const flushes = new Flushes()
  const done: string[] = []
  flushes.add(() => done.push('a'))
  await new Promise<void>((resolve) => process.nextTick(resolve))
  flushes.add(() => done.push('b'))
  expect(done).toEqual([])
  await turned()
  expect(done).toEqual(['b', 'a'])
})

test('what follows from what was read is written before it turns, after the promises that were settled', async () => {
  const flushes = new Flushes()
  const done: string[] = []
  flushes.reading()
  flushes.add(() => done.push('answer'))
  const longer = async () => {
    for (let i = 0; i < 5; i += 1) await Promise.resolve()
    done.push('released')
    flushes.add(() => done.push('passed on'))
  }
  void longer()
  setImmediate(() => done.push('turned'))
  await turned()
  expect(done).toEqual(['released', 'passed on', 'answer', 'turned'])
})

test('after that the event loop has to turn again', async () => {
  const flushes = new Flushes()
  const done: string[] = []
  flushes.add(() => done.push('of the program'))
  flushes.reading()
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect(done).toEqual(['of the program'])
  flushes.add(() => done.push('later'))
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect(done).toHaveLength(1)
  await turned()
  expect(done).toHaveLength(2)
})

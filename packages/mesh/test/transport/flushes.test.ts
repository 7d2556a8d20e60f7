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
  flushes.whileReading(() => flushes.add(() => done.push('answer')))
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

test('what is left to the end of reading is done after those promises, and what it sends is written with the rest', async () => {
  const flushes = new Flushes()
  const done: string[] = []
  flushes.whileReading(() => flushes.add(() => done.push('answer')))
  const longer = async () => {
    await Promise.resolve()
    done.push('released')
    const isLeft = flushes.beforeWriting(() => flushes.add(() => done.push('passed on')))
    expect(isLeft).toBe(true)
    await Promise.resolve()
    done.push('asked again')
  }
  void longer()
  setImmediate(() => done.push('turned'))
  await turned()
  expect(done).toEqual(['released', 'asked again', 'passed on', 'answer', 'turned'])
  expect(flushes.beforeWriting(() => {})).toBe(false)
})

test('after that the event loop has to turn again', async () => {
  const flushes = new Flushes()
  const done: string[] = []
  flushes.add(() => done.push('of the program'))
  flushes.whileReading(() => {})
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect(done).toEqual(['of the program'])
  flushes.add(() => done.push('later'))
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect(done).toHaveLength(1)
  await turned()
  expect(done).toHaveLength(2)
})

/** Reads so many times, and sends so many messages each time, to one peer or to several. */
async function bursts(flushes: Flushes, times: number, send: () => void): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    flushes.whileReading(send)
    await turned()
  }
}

test('where one message was all that came of what was read, time and again, the next leaves at once', async () => {
  const flushes = new Flushes()
  let done = 0
  const write = () => {
    done += 1
  }
  await bursts(flushes, 15, () => flushes.add(write))
  flushes.whileReading(() => flushes.add(write))
  expect(done).toBe(15)
  await turned()
  expect(done).toBe(16)

  flushes.whileReading(() => flushes.add(write))
  expect(done).toBe(17)
  // A second one waits for what may follow, as it did before, and so does the next first one.
  flushes.add(write)
  expect(done).toBe(17)
  await turned()
  expect(done).toBe(18)
  flushes.whileReading(() => flushes.add(write))
  expect(done).toBe(18)
  await turned()
  expect(done).toBe(19)
})

test.each([
  ['two peers', (flushes: Flushes) => flushes.add(() => {})],
  ['one peer', (flushes: Flushes) => flushes.follow()],
])('where two messages go to %s they wait for each other', async (_, second) => {
  const flushes = new Flushes()
  await bursts(flushes, 40, () => {
    flushes.add(() => {})
    second(flushes)
  })
  let isWritten = false
  flushes.whileReading(() => {
    flushes.add(() => {
      isWritten = true
    })
  })
  expect(isWritten).toBe(false)
  await turned()
  expect(isWritten).toBe(true)
})

test('what the program sends by itself waits however often it was one message', async () => {
  const flushes = new Flushes()
  await bursts(flushes, 40, () => flushes.add(() => {}))
  let isWritten = false
  flushes.add(() => {
    isWritten = true
  })
  expect(isWritten).toBe(false)
  await turned()
  expect(isWritten).toBe(true)
})

test('what throws while it is read is thrown, and what was sent before is written', async () => {
  const flushes = new Flushes()
  let isWritten = false
  const fails = () => {
    flushes.add(() => {
      isWritten = true
    })
    throw new Error('a fault of the host')
  }
  expect(() => flushes.whileReading(fails)).toThrow('a fault of the host')
  await turned()
  expect(isWritten).toBe(true)
})

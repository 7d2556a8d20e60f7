import { expect, test } from 'vitest'
import { NoQuorumError } from '../src/locks/errors.ts'
import { tellWhileWaiting, type Wait } from '../src/locks/on-wait.ts'
import type { Lined } from '../src/locks/survey.ts'
import { fresh, inEveryWorld } from './web-locks/worlds.ts'

/** What is told first of what is waited for, and the option that lets it be. */
function told(isWanted: (wait: Wait) => boolean = () => true) {
  let hear: (wait: Wait) => void = () => {}
  const first = new Promise<Wait>((resolve) => {
    hear = resolve
  })
  return { first, onWait: { after: 5, tell: (wait: Wait) => isWanted(wait) && hear(wait) } }
}

inEveryWorld((world) => {
  test('who waits long is told who is inside, and how many wait', async () => {
    const name = fresh()
    const holder = await world.at(0).acquire(name)
    const early = told()
    const first = world.at(1).acquire(name, { onWait: early.onWait })
    const { holders, waiting } = await early.first
    expect(holders).toMatchObject([{ mode: 'exclusive', fence: holder.fence }])
    expect(holders?.[0]?.held).toBeGreaterThanOrEqual(0)
    expect(waiting).toBe(1)
    // Before its request has met the line, its place is not known.
    const late = told(({ ahead }) => ahead === 1)
    const second = world.at(2).acquire(name, { onWait: late.onWait })
    expect(await late.first).toMatchObject({ name, waiting: 2 })
    holder.release()
    ;(await first).release()
    ;(await second).release()
  })

  test('who is inside is told nothing more', async () => {
    let isInside = false
    let told = 0
    const tell = () => {
      if (isInside) told += 1
    }
    const lock = await world.at(0).acquire(fresh(), { onWait: { after: 1, tell } })
    isInside = true
    // In this time it would be told several times.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await world.at(0).query()
    expect(told).toBe(0)
    lock.release()
  })

  test.each([[5], [null], [{}], [{ after: 5 }], [{ tell: 1 }]])('%j is refused', async (onWait) => {
    const asked = world.at(0).request(fresh(), { onWait } as never, () => {})
    await expect(asked).rejects.toThrow('onWait is not { after: milliseconds, tell: function }')
  })

  test('so is a time that is none', async () => {
    const asked = world.at(0).request(fresh(), { onWait: { after: '5', tell: () => {} } } as never, () => {})
    await expect(asked).rejects.toThrow('onWait.after "5" is not a number of milliseconds')
  })
})

test('what cannot be found out is told as that', async () => {
  const { first, onWait } = told()
  const survey = () => Promise.reject(new NoQuorumError('no quorum'))
  const end = tellWhileWaiting(survey, { name: 'invoices', resources: undefined }, onWait)
  expect(await first).toMatchObject({ name: 'invoices', holders: null, waiting: null, ahead: null })
  end()
})

test('one question at a time, and nothing is told when it is over', async () => {
  let asked = 0
  let answer: (lined: Lined) => void = () => {}
  const survey = () => {
    asked += 1
    return new Promise<Lined>((resolve) => {
      answer = resolve
    })
  }
  const end = tellWhileWaiting(
    survey,
    { name: 'x', resources: undefined },
    { after: 1, tell: () => expect.unreachable() },
  )
  await expect.poll(() => asked).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(asked).toBe(1)
  end()
  answer({ nodes: [], ahead: null })
  await new Promise(setImmediate)
})

import { describe, expect, test } from 'vitest'
import { HeldTooLongError } from '../src/locks/errors.ts'
import { fresh, inEveryWorld, reasonOf } from './web-locks/worlds.ts'

const never = () => new Promise<never>(() => {})

inEveryWorld((world) => {
  test('a callback that never settles is given up, and the next one is let in', async () => {
    const name = fresh()
    let signal: AbortSignal | undefined
    const stuck = world.at(0).request(name, { maxHold: 30.25 }, (lock) => {
      signal = lock?.signal
      return never()
    })
    const next = world.at(1).request(name, () => 'next')
    const error = await reasonOf(stuck)
    expect(error).toBeInstanceOf(HeldTooLongError)
    expect(error).toMatchObject({
      name: 'HeldTooLongError',
      code: 'HELD_TOO_LONG',
      message: `"${name}" was held for more than 30 ms`,
    })
    expect(signal?.reason).toBe(error)
    expect(await next).toBe('next')
  })

  test('a handle that is never released is taken back', async () => {
    const name = fresh()
    const held = await world.at(0).acquire(name, { maxHold: 30 })
    const next = await world.at(1).acquire(name)
    expect(held.isHeld).toBe(false)
    expect(() => held.assertHeld()).toThrow(HeldTooLongError)
    held.release()
    expect(next.isHeld).toBe(true)
    next.release()
  })

  test('a callback that is in time hears nothing of it', async () => {
    const name = fresh()
    expect(await world.at(0).request(name, { maxHold: 60_000 }, () => 'done')).toBe('done')
    const held = await world.at(0).acquire(name, { maxHold: 60_000 })
    held.release()
    expect(held.signal.aborted).toBe(false)
  })
})

describe('maxHold', () => {
  test.each([
    ['a text', '5'],
    ['below 0', -1],
  ])('%s is refused', async (_, maxHold) => {
    const { join } = await import('../src/join.ts')
    const mesh = await join()
    const error = await reasonOf(mesh.locks.request('L', { maxHold: maxHold as number }, () => {}))
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toMatch(
      /^maxHold .* is not a number of milliseconds from 0 to 2147483647$/,
    )
    await mesh.leave()
  })
})

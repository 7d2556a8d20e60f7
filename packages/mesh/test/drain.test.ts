/** A node that leaves when those who are inside have finished. */
import { expect, test } from 'vitest'
import { join } from '../src/join.ts'
import { LockLostError } from '../src/locks/errors.ts'
import { meshes } from './meshes.ts'
import { reasonOf } from './web-locks/worlds.ts'

test('what is inside finishes, what waits is given back, nobody is let in; then the others have it at once', async () => {
  const [a, b, c] = await meshes(3)
  let finish = () => {}
  let entered = () => {}
  const isInside = new Promise<void>((resolve) => {
    entered = resolve
  })
  const work = a.locks.request('L', async (lock) => {
    entered()
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    lock.assertHeld()
    return 'done'
  })
  await isInside
  const waiting = reasonOf(a.locks.request('L', () => 'never'))
  const elsewhere = b.locks.acquire('L')
  const left = a.leave({ drain: true })
  expect(await waiting).toMatchObject({ name: 'InvalidStateError', message: 'node a is leaving' })
  expect(await reasonOf(a.locks.acquire('M'))).toMatchObject({ message: 'node a is leaving' })
  finish()
  expect(await work).toBe('done')
  await left
  const held = await elsewhere
  expect(held.isHeld).toBe(true)
  held.release()
  await Promise.all([b, c].map((node) => node.leave({ drain: true })))
})

test('after the time that it is given it leaves in any case, and so it does when it is told again', async () => {
  for (const leave of [{ drain: true, timeout: 20 }, { drain: true }]) {
    const mesh = await join()
    const held = await mesh.locks.acquire('L')
    const left = mesh.leave(leave)
    if (!('timeout' in leave)) await mesh.leave()
    await left
    expect(held.isHeld).toBe(false)
    expect(held.signal.reason).not.toBeInstanceOf(LockLostError)
  }
})

test('options that mean nothing are refused', async () => {
  const mesh = await join()
  const wrong = (options: object) => reasonOf(mesh.leave(options))
  expect(String(await wrong({ drains: true }))).toContain(
    '"drains" is not an option of leave: did you mean "drain"?',
  )
  expect(String(await wrong({ timeout: 5 }))).toContain('leave: timeout needs drain: true')
  expect(String(await wrong({ drain: true, timeout: -1 }))).toContain(
    'timeout -1 is not a number of milliseconds',
  )
  await mesh.leave()
})

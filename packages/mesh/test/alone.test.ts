/** A mesh of one: a process has one, because two of them would not exclude each other. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { expect, test } from 'vitest'
import { joinOnce } from '../src/alone.ts'
import { join, joinNode } from '../src/join.ts'
import { reasonOf } from './web-locks/worlds.ts'

const REFUSED = {
  name: 'InvalidStateError',
  message:
    "this process is a mesh of one already: use what join() returned, leave() it first, or meet at a place, as in join('./locks')",
}

test('the second join without a place is refused, whatever its options, also while the first has not joined yet', async () => {
  const first = join()
  expect(await reasonOf(join({ id: 'b', lease: 5000 }))).toMatchObject(REFUSED)
  const mesh = await first
  expect(await reasonOf(join())).toMatchObject(REFUSED)
  expect(await reasonOf(join({ lease: 1 })), 'what is wrong with the options is told first').toMatchObject({
    name: 'InvalidInput',
  })
  const held = await mesh.locks.acquire('L')
  expect(held.isHeld).toBe(true)
  await mesh.leave()
})

test('when it has left, or could not join, another one may', async () => {
  await (await join()).leave()
  expect(String(await reasonOf(join({ lease: 1 })))).toContain('lease 1 is not a number')
  const mesh = await join()
  await mesh.leave()
})

test('fences rise from one to the next, also within a second', async () => {
  const fences: bigint[] = []
  for (let round = 0; round < 3; round += 1) {
    const mesh = await join()
    for (let turn = 0; turn < 2; turn += 1) {
      await mesh.locks.request('L', ({ fence }) => void fences.push(fence))
    }
    await mesh.leave()
  }
  expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)))
  expect(new Set(fences).size).toBe(fences.length)
})

test('a program with two copies of the library has one all the same', async () => {
  // Another text of an import is another module.
  const copy: { joinOnce: typeof joinOnce } = await import(
    String(new URL('../src/alone.ts?copy', import.meta.url))
  )
  expect(copy.joinOnce).not.toBe(joinOnce)
  const mesh = await join()
  expect(await reasonOf(copy.joinOnce((claim) => joinNode({}, undefined, claim)))).toMatchObject(REFUSED)
  await mesh.leave()
})

test('members that meet at a place exclude each other, in one process too, and beside a mesh of one', async () => {
  const place = mkdtempSync(pathOf(tmpdir(), 'tw-'))
  const [alone, a, b] = await Promise.all([join(), join(place), join(place)])
  const held = await a.locks.acquire('L')
  expect(await b.locks.request('L', { ifAvailable: true }, (lock) => lock)).toBeNull()
  held.release()
  await Promise.all([alone, a, b].map((mesh) => mesh.leave()))
})

/** Runs in the cells of an engine that does not always say what became of a write. */
import { expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { LockLostError, NoQuorumError, RunUnknownError } from '../../src/locks/errors.ts'
import type { Held } from '../../src/locks/held.ts'
import { cellMemory } from '../../src/once/run-cells.ts'
import { NO_RUNS, type Runs } from '../../src/protocol/runs.ts'
import { MemoryEngine } from '../../src/register/memory-engine.ts'
import { type Register, unknown } from '../../src/register/register.ts'

const engine = new MemoryEngine()
const held = {} as Held
let meshes = 0

function memories(change: (register: Register) => Partial<Register> = () => ({}), persistence = 60_000) {
  meshes += 1
  const registers = [0, 1].map(() => engine.open(`m${meshes}`))
  const options = { place: 'here', patience: 1000, persistence }
  const memoryOf = (register: Register) => cellMemory({ ...register, ...change(register) }, options)
  return atLeast(2, registers.map(memoryOf))
}

function ran(time: number): Runs {
  return { before: null, list: [{ time, by: 'a', at: time, isDone: true }] }
}

test('what one writes the other reads, under this name', async () => {
  const [one, other] = memories()
  const page = await one.open('nightly', held, 0)
  expect(page.runs).toEqual(NO_RUNS)
  await page.write(ran(1))
  await page.write(ran(2))
  expect((await other.open('nightly', held, 0)).runs).toEqual(ran(2))
  expect((await other.open('weekly', held, 0)).runs).toEqual(NO_RUNS)
})

test('who was stopped after it read, and lost its lock, cannot write', async () => {
  const [one, other] = memories()
  const late = await one.open('nightly', held, 0)
  await (await other.open('nightly', held, 0)).write(ran(1))
  await expect(late.write(ran(2))).rejects.toThrow(LockLostError)
  expect((await one.open('nightly', held, 0)).runs).toEqual(ran(1))
})

test('a write of unknown outcome is looked up, and made again if it did not happen', async () => {
  const fates = ['happened', 'lost', 'happened']
  const [one, other] = memories((register) => ({
    async cas(...given) {
      const fate = fates.shift()
      if (fate === undefined) return register.cas(...given)
      if (fate === 'happened') await register.cas(...given)
      return unknown('the line was cut')
    },
  }))
  const page = await one.open('nightly', held, 0)
  await page.write(ran(1))
  await page.write(ran(2))
  expect(fates).toEqual([])
  expect((await other.open('nightly', held, 0)).runs).toEqual(ran(2))
})

test('an outcome that stays unknown is told, and so is an engine that is away', async () => {
  const [cut] = memories(() => ({ cas: async () => unknown('the line was cut') }), 0)
  const page = await cut.open('nightly', held, 0)
  const told = page.write(ran(1))
  await expect(told).rejects.toThrow(RunUnknownError)
  await expect(told).rejects.toThrow('a run of "nightly" is remembered at here: the line was cut')
  const [away] = memories(() => ({ read: () => Promise.reject(new Error('gone')) }), 0)
  await expect(away.open('nightly', held, 0)).rejects.toThrow(NoQuorumError)
})

test('a cell that nobody of us wrote is damaged', async () => {
  const [one] = memories(() => ({ read: async () => ({ value: '{"runs":"?"}', version: '1' }) }))
  await expect(one.open('nightly', held, 0)).rejects.toThrow('the runs of "nightly" at here are damaged')
})

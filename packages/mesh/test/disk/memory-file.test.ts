/** What a voter remembers for callers, on disk: whole, or refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NOTHING, type Remembered, readMemory, writeMemory } from '../../src/disk/memory-file.ts'
import { openStateDirectory, StateDirectoryDamaged } from '../../src/disk/state-directory.ts'

let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tw-'))
})

afterEach(() => rmSync(directory, { recursive: true }))

const ballot = { fence: { epoch: 3, counter: 16 }, step: 2 }
const remembered: Remembered = {
  since: 3,
  at: 1000,
  shelves: new Map([['__proto__', { promised: ballot, kept: { ballot, under: 3, value: 'x' } }]]),
}

const open = () => openStateDirectory(directory, { id: 'a', mesh: 'mesh' })

test('what is remembered is there again, and a damaged file is refused', async () => {
  const disk = await open()
  expect(disk.remembered).toEqual(NOTHING)
  await disk.remember(remembered)
  await disk.close()
  const again = await open()
  expect(again.remembered).toEqual(remembered)
  await again.close()
  const file = join(directory, 'memory')
  const whole = readFileSync(file, 'utf8')
  for (const damaged of ['', whole.slice(0, 30), whole.slice(0, -2), whole.replace('"x"', '"y"')]) {
    writeFileSync(file, damaged)
    await expect(open()).rejects.toThrow(StateDirectoryDamaged)
  }
})

test('a voter whose memory is gone does not begin without it', async () => {
  const disk = await open()
  // What is being written meanwhile is not undone by the note that there is a memory.
  const later = { ...disk.durable, k: disk.durable.k + 1 }
  await Promise.all([
    disk.persist(later),
    disk.remember(remembered),
    disk.remember({ ...remembered, at: 2000 }),
  ])
  await disk.close()
  const again = await open()
  expect(again.durable).toEqual(later)
  expect(again.remembered.at).toBe(2000)
  await again.close()
  rmSync(join(directory, 'memory'))
  await expect(open()).rejects.toThrow(/memory is missing, but state beside it says that it existed/)
})

test('when other voters came is noted as their record is accepted', async () => {
  const disk = await open()
  const settings = { algorithm: 'token-queue', lease: 1000, drift: 0 }
  const voters = [{ id: 'a', voterId: disk.durable.voterId }]
  const accepted = { epoch: 5, voters, oldVoters: null, members: [], settings, since: 4 }
  const before = Date.now()
  await disk.persist({ ...disk.durable, accepted })
  await disk.close()
  const again = await open()
  expect(again.durable.accepted?.since).toBe(4)
  expect(again.remembered.since).toBe(4)
  expect(again.remembered.at).toBeGreaterThanOrEqual(before)
  await again.close()
})

test('what could not be is not read', () => {
  expect(readMemory(writeMemory({ ...remembered, since: 0.5 }))).toBe('since: it is not a number')
  const long = new Map([['n', { promised: ballot, kept: { ballot, under: 3, value: 'x'.repeat(200_000) } }]])
  expect(readMemory(writeMemory({ ...remembered, shelves: long }))).toMatch(/^shelves: /)
})

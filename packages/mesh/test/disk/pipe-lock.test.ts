import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockByPipe, pipeOf } from '../../src/disk/directory-lock.ts'

test('a pipe is had by one at a time, and leaves word that it was had', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tw-'))
  // Elsewhere than on Windows a socket refuses a second listener just as a pipe does.
  const pipe =
    process.platform === 'win32' ? pipeOf(directory) : join(mkdtempSync(join(tmpdir(), 'tw-')), 'pipe')
  const unlock = await lockByPipe(directory, pipe)
  expect(await lockByPipe(directory, pipe)).toBeNull()
  await unlock?.()
  expect(readdirSync(directory)).toEqual(['lock.1'])
  await (await lockByPipe(directory, pipe))?.()
})

test('a directory has one pipe, however its name is written', () => {
  expect(pipeOf('C:\\State\\a')).toBe(pipeOf('c:\\state\\A'))
  expect(pipeOf('C:\\state\\a')).not.toBe(pipeOf('C:\\state\\b'))
  expect(pipeOf('C:\\state\\a')).toMatch(/^\\\\\.\\pipe\\turnwise-[0-9a-f]{32}$/)
})

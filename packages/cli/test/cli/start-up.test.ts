/** How much is loaded before a command does anything: files are counted, for they take the same time on a busy machine. */
import { expect, test } from 'vitest'
import { filesLoadedBy } from '../../../../test/loaded-files.ts'
import { INSTALLED } from '../../../../test/turnwise.ts'

async function loadedBy(line: string): Promise<readonly string[]> {
  return (await filesLoadedBy([INSTALLED, ...line.split(' ')])).files
}

test.each([
  ['--version', 6],
  ['lock x --socket /nowhere -- true', 9],
  ['lead x --socket /nowhere -- true', 9],
  ['status --socket /nowhere', 9],
  ['locks --socket /nowhere', 9],
  ['metrics --socket /nowhere', 9],
])('%s loads at most %i files, and no algorithm', async (line, most) => {
  const loaded = await loadedBy(line)
  expect(loaded.length).toBeGreaterThan(3)
  expect(loaded.length, loaded.join('\n')).toBeLessThanOrEqual(most)
  expect(loaded.filter((url) => /bundle\/(mesh|catalogue|run|check|prove)\.js/.test(url))).toEqual([])
})

test('a member at a directory loads few files, and not the catalogue', async () => {
  const loaded = await loadedBy('lock x --at /dev/null/nowhere -- true')
  expect(loaded.filter((url) => url.endsWith('bundle/mesh.js'))).toHaveLength(1)
  expect(loaded.length, loaded.join('\n')).toBeLessThanOrEqual(26)
  expect(loaded.filter((url) => url.endsWith('bundle/catalogue.js'))).toEqual([])
})

test('what needs the catalogue gets it, and no prover', async () => {
  const loaded = await loadedBy('algorithms')
  expect(loaded.filter((url) => url.endsWith('bundle/catalogue.js'))).toHaveLength(1)
  expect(loaded.filter((url) => /z3-solver|bundle\/prove/.test(url))).toEqual([])
})

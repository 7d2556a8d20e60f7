/** How much is loaded before a command does anything: modules are counted, for they take the same time on a busy machine. */
import { expect, test } from 'vitest'
import { INSTALLED } from '../../../../test/turnwise.ts'
import { Program } from '../../src/fleet/program.ts'

/** In the loader's own thread: names every file that is loaded. */
const HOOK = `import { writeSync } from 'node:fs'
export async function load(url, context, next) {
  if (url.startsWith('file:')) writeSync(2, 'loads ' + url + '\\n')
  return next(url, context)
}`
const REGISTER = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(HOOK)}))`

async function loadedBy(line: string): Promise<readonly string[]> {
  const hook = `data:text/javascript,${encodeURIComponent(REGISTER)}`
  const { err } = await new Program(['--import', hook, INSTALLED, ...line.split(' ')]).ended
  return [...err.matchAll(/^loads (.*)$/gm)].map(([, url = '']) => url)
}

test.each([
  ['--version', 8],
  ['lock x --socket /nowhere -- true', 49],
  ['lead x --socket /nowhere -- true', 49],
  ['status --socket /nowhere', 25],
  ['locks --socket /nowhere', 26],
  ['metrics --socket /nowhere', 23],
])('%s loads at most %i modules, and no algorithm', async (line, most) => {
  const loaded = await loadedBy(line)
  expect(loaded.length).toBeGreaterThan(3)
  expect(loaded.length, loaded.join('\n')).toBeLessThanOrEqual(most)
  expect(loaded.filter((url) => /packages\/(algorithms|simulator|checker|lab|proof)\//.test(url))).toEqual([])
})

test('what needs the catalogue gets it, and no prover', async () => {
  const loaded = await loadedBy('algorithms')
  expect(loaded.length).toBeGreaterThan(50)
  expect(loaded.filter((url) => /z3-solver|packages\/proof/.test(url))).toEqual([])
})

/** The built library: few files, with the algorithms on demand and one InvalidInput. */
import { expect, test } from 'vitest'
import { filesLoadedBy } from '../../../test/loaded-files.ts'

function run(text: string) {
  return filesLoadedBy(['--input-type=module', '-e', text])
}

function namesOf(files: readonly string[]): string[] {
  return files.map((url) => url.replace(/^.*\//, ''))
}

test('a program that joins and takes a lock loads at most nine files', async () => {
  const { files, out } = await run(
    `import { join } from 'turnwise'
    await (await join()).locks.request('L', () => console.log('inside'))`,
  )
  expect(out).toBe('inside\n')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(9)
})

test('another algorithm comes on demand', async () => {
  const { files, out } = await run(
    `import { join } from 'turnwise'
    await (await join({ algorithm: 'maekawa' })).locks.request('L', () => console.log('inside'))`,
  )
  expect(out).toBe('inside\n')
  expect(namesOf(files)).toContain('maekawa.js')
  expect(namesOf(files)).not.toContain('lamport.js')
})

test('the locks of a daemon need neither protocol nor algorithm', async () => {
  const { files } = await run("import 'turnwise/connect'")
  expect(namesOf(files)).toEqual(['connect.js', 'daemon.js', 'invalid-input.js'])
})

test('the error for bad input is the one of the other packages', async () => {
  const { out } = await run(
    `import { InvalidInput as ours } from '@turnwise/core/invalid-input'
    import { InvalidInput, join } from 'turnwise'
    const thrown = await join({ lease: -1 }).catch((error) => error)
    console.log(InvalidInput === ours, thrown instanceof ours)`,
  )
  expect(out).toBe('true true\n')
})

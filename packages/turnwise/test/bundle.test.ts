/** The built library: few files, with the algorithms on demand and nothing else of ours. */
import { expect, test } from 'vitest'
import { filesLoadedBy } from '../../../test/loaded-files.ts'

function run(text: string) {
  return filesLoadedBy(['--input-type=module', '-e', text])
}

function namesOf(files: readonly string[]): string[] {
  return files.map((url) => url.replace(/^.*\//, ''))
}

test('a program that joins and takes a lock loads at most eight files', async () => {
  const { files, out } = await run(
    `import { join } from 'turnwise'
    await (await join()).locks.request('L', () => console.log('inside'))`,
  )
  expect(out).toBe('inside\n')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(8)
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
  expect(namesOf(files)).toEqual(['connect.js', 'daemon.js'])
})

test('all its entries have one error for bad input', async () => {
  const { files, out } = await run(
    `import { InvalidInput, join } from 'turnwise'
    import { connect } from 'turnwise/connect'
    const thrown = [join({ lease: -1 }), connect({ socket: 1 })].map((made) => made.catch((error) => error))
    for (const error of await Promise.all(thrown)) console.log(error instanceof InvalidInput)`,
  )
  expect(out).toBe('true\ntrue\n')
  expect(files.filter((url) => !/turnwise\/dist\/bundle|msgpackr/.test(url))).toEqual([])
})

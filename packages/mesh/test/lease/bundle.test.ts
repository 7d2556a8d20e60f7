/** A service in one file, as esbuild makes it: the lease thread is a program of its own, which a bundler does not see. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ended, Program } from '@turnwise/fleet/program'
import { build, type Format } from 'esbuild'
import { afterAll, describe, expect, test } from 'vitest'

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'turnwise-bundle-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Alone, but ready for others: it listens, and its lease has a thread. */
const SERVICE = `
import { join } from '${SOURCES}join.ts'
const [stateDir, thread] = process.argv.slice(2)
async function serve() {
  const options = { id: 'a', peers: { a: '127.0.0.1:0' }, stateDir, log: console.error }
  const mesh = await join({ ...options, thread: thread !== 'none' })
  await mesh.locks.request('L', () => console.log('inside'))
  await mesh.leave()
  console.log('left')
}
serve().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})`

/** Every bundle in a directory of its own, in which nothing is installed. */
async function bundled(format: Format, withThread: boolean, banner = ''): Promise<string> {
  const outdir = mkdtempSync(join(folder, `${format}-`))
  const service = join(outdir, 'service.ts')
  writeFileSync(service, SERVICE)
  writeFileSync(
    join(outdir, 'package.json'),
    JSON.stringify({ type: format === 'esm' ? 'module' : 'commonjs' }),
  )
  await build({
    entryPoints: { service, ...(withThread && { thread: `${SOURCES}lease/thread.ts` }) },
    outdir,
    format,
    bundle: true,
    platform: 'node',
    conditions: ['turnwise-source'],
    banner: { js: banner },
    logLevel: 'silent',
  })
  return join(outdir, 'service.js')
}

function ran(file: string, args: readonly string[]): Promise<Ended> {
  return new Program([file, mkdtempSync(join(folder, 'state-')), ...args]).ended
}

const WELL: Ended = { code: 0, out: 'inside\nleft\n', err: '' }

describe.each(['esm', 'cjs'] as const)('a bundle as %s', (format) => {
  test('with the thread beside it serves', async () => {
    expect(await ran(await bundled(format, true), [])).toEqual(WELL)
  })

  test('without the thread says in one line what to do, and serves without a thread', async () => {
    const file = await bundled(format, false)
    const { code, out, err } = await ran(file, [])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(
      /^the lease thread \S*thread\.js is missing: a bundler left it out\. .*thread: false\n$/,
    )
    expect(await ran(file, ['none'])).toEqual(WELL)
  })
})

test('the thread ends also where its port has no close, as in Deno', async () => {
  const banner = `import { parentPort as asInDeno } from 'node:worker_threads'
  if (asInDeno !== null) Object.defineProperty(asInDeno, 'close', { value: undefined })`
  expect(await ran(await bundled('esm', true, banner), [])).toEqual(WELL)
})

test('the thread brings no algorithm and no rule of the protocol: it has each module a second time', async () => {
  const { metafile } = await build({
    entryPoints: [`${SOURCES}lease/thread.ts`],
    bundle: true,
    platform: 'node',
    conditions: ['turnwise-source'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const files = Object.keys(metafile.inputs).map((file) => file.replace(/^.*packages\//, ''))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => /^algorithms\/|protocol\/(node|instances|lease)\.ts/.test(file))).toEqual([])
})

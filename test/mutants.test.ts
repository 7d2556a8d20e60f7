/** No package has a broken rule of the mesh, and none lets anybody replace a rule. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mutantsIn } from '../scripts/packages/mutants.ts'
import type { Manifest } from '../scripts/packages/tarballs.ts'

const manifest = JSON.parse(
  readFileSync(new URL('../packages/mesh/package.json', import.meta.url), 'utf8'),
) as Manifest

/** What is said of a package with this text in its only module. */
function complaints(text: string, exports: Manifest['exports']): string[] {
  const source = mkdtempSync(join(tmpdir(), 'turnwise-packed-'))
  onTestFinished(() => rmSync(source, { recursive: true }))
  writeFileSync(join(source, 'index.js'), text)
  return mutantsIn({
    name: '@turnwise/mesh',
    source,
    files: ['index.js'],
    manifest: { ...manifest, exports },
  })
}

test('a package without them, and whose rules cannot be imported, is well', () => {
  expect(complaints('export const sound = true', manifest.exports)).toEqual([])
})

test('a broken rule is found, and so is an export of the rules', () => {
  const { './protocol/rules': _, ...open } = manifest.exports
  expect(complaints("rules.push('no-table')", open)).toEqual([
    'index.js has the broken rule no-table',
    'its exports let ./protocol/rules be replaced',
  ])
})

test('nobody can import the rules of the mesh by their name', () => {
  const { resolve } = createRequire(import.meta.url)
  expect(() => resolve('@turnwise/mesh/protocol/rules')).toThrow(
    expect.objectContaining({ code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' }),
  )
})

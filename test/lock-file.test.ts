import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { extent } from './extent.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const BINDING = /(?:^|[-/])(?:linux|darwin|win32)[-_](?:x64|arm64)(?:[-_](?:gnu|msvc))?$/

/** Native bindings that a locked package may ask for, and that are not locked: on their platform the install fails. */
function unlockedBindings(packages: Readonly<Record<string, Locked>>): string[] {
  const locked = new Set(Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, '')))
  const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
  return [...new Set(wanted)].filter((name) => BINDING.test(name) && !locked.has(name)).toSorted()
}

test('the lock file installs on Linux, macOS and Windows, on x64 and arm64', () => {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))
  expect(unlockedBindings(packages)).toEqual([])
})

const PLATFORMS: [os: string, cpu: string][] = [
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'x64'],
  ['darwin', 'arm64'],
  ['win32', 'x64'],
]
// Each is a run of npm. The others need what is looked for above, and are tried in the long tests.
// The level of the log is given, as `npm run --silent` hands its own down, and then nothing is printed.
for (const [os, cpu] of extent(PLATFORMS.slice(-1), PLATFORMS)) {
  test(`npm ci finds all that it needs for ${os} on ${cpu}`, () => {
    const options = [
      'ci',
      '--dry-run',
      '--offline',
      '--ignore-scripts',
      '--loglevel',
      'notice',
      '--os',
      os,
      '--cpu',
      cpu,
    ]
    expect(execFileSync('npm', options, { cwd: root, encoding: 'utf8', stdio: 'pipe', shell: true })).toMatch(
      /up to date|added \d+ packages/,
    )
  })
}

test('a binding that is not locked is found', () => {
  const tool = {
    optionalDependencies: { '@tool/binding-linux-arm64-gnu': '1', '@tool/linux-x64': '1', plain: '1' },
  }
  expect(unlockedBindings({ 'node_modules/tool': tool, 'a/node_modules/@tool/linux-x64': {} })).toEqual([
    '@tool/binding-linux-arm64-gnu',
  ])
})

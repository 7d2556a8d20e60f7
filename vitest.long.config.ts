/** `npm run test:long`: the files whose tests can go further than they do in `npm test`. */
import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import FarOnly, { goesFar } from './test/far-only.ts'
import base from './vitest.config.ts'

/** What `npm run test:processes` names. */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const PROCESSES = scripts['test:processes']?.split(' ').filter((word) => word.includes('/')) ?? []

const include = ['packages', 'torture', 'test']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /^((packages\/[\w-]+|torture)\/)?test\/.*\.test\.ts$/.test(file))
  // Those with real processes: continuous integration runs them all the way beside these.
  .filter((file) => !PROCESSES.some((place) => file.startsWith(place)))
  .filter(goesFar)

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include,
    sequence: { sequencer: FarOnly },
    tags: [{ name: 'long' }],
    env: { TURNWISE_LONG: process.env['TURNWISE_LONG'] ?? 'most' },
  },
})

/** `npm run test:long`: the files whose tests can go further than they do in `npm test`. */
import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const include = ['packages', 'torture', 'test']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /^((packages\/[\w-]+|torture)\/)?test\/.*\.test\.ts$/.test(file))
  // Those with real processes: continuous integration runs them all the way beside these.
  .filter((file) => !file.startsWith('packages/mesh/test/processes/'))
  .filter((file) =>
    /import {.*\b(extent|isDue|isLong)\b.*} from '.*\/extent\.ts'/.test(readFileSync(file, 'utf8')),
  )

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include,
    tags: [{ name: 'long' }],
    env: { TURNWISE_LONG: process.env['TURNWISE_LONG'] ?? 'most' },
  },
})

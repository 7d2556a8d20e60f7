/** `npm run test:long`: the files whose tests can go further than they do in `npm test`, all the way. */
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
  .filter((file) => readFileSync(file, 'utf8').includes("/extent.ts'"))

export default defineConfig({
  ...base,
  test: { ...base.test, include, env: { TURNWISE_LONG: '1' } },
})

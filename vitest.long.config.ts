/** `npm run test:long`: the files whose tests can go further than they do in `npm test`, all the way. */
import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const packages = new URL('packages/', import.meta.url)

const include = readdirSync(packages, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[\w-]+[\\/]test[\\/].*\.test\.ts$/.test(file))
  .filter((file) => readFileSync(new URL(file, packages), 'utf8').includes("test/extent.ts'"))
  .map((file) => `packages/${file.replaceAll('\\', '/')}`)

export default defineConfig({
  ...base,
  test: { ...base.test, include, env: { TURNWISE_LONG: '1' } },
})

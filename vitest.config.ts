import { configDefaults, defineConfig } from 'vitest/config'
import { UNIX_ONLY } from './scripts/unix-only.ts'

// Tests read the sources of every package, so they need no build. Of other packages they get what Node would load.
const conditions = ['turnwise-source', 'node', 'development|production']
const leftOut = process.platform === 'win32' ? UNIX_ONLY : []
if (leftOut.length > 0)
  console.log(`left out, since they need sockets in a directory or signals of Unix: ${leftOut.join(' ')}`)

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut],
    setupFiles: ['test/fixed-seed.ts'],
    reporters: ['default', './scripts/count-reporter.ts'],
    // Half of them wait for processes most of the time: one file at a time would leave a core idle.
    maxWorkers: 2,
    // Deadlines, for a machine that does much else; no test takes so long by itself.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
})

import { configDefaults, defineConfig } from 'vitest/config'
import { UNIX_ONLY } from './scripts/unix-only.ts'

// Tests read the sources of every package, so they need no build. Of other packages they get what Node would load.
const conditions = ['turnwise-source', 'node', 'development|production']
const leftOut = process.platform === 'win32' ? UNIX_ONLY : []
if (leftOut.length > 0)
  console.log(`left out, since they need sockets in a directory or signals of Unix: ${leftOut.join(' ')}`)

/** Pure packages: a test cannot change what another one finds, so that all share what is loaded. */
const PURE = 'packages/{core,algorithms,simulator,checker}/test/**/*.test.ts'

const exclude = [...configDefaults.exclude, ...leftOut]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    exclude,
    setupFiles: ['test/fixed-seed.ts'],
    reporters: ['default', './scripts/count-reporter.ts'],
    // Half of them wait for processes most of the time: one file at a time would leave a core idle.
    maxWorkers: 2,
    // Deadlines, for a machine that does much else; no test takes so long by itself.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'pure', include: [PURE], isolate: false } },
      {
        extends: true,
        test: {
          name: 'mesh, programs and page',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...exclude, PURE],
        },
      },
    ],
  },
})

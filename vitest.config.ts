import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { probesPlugin } from './packages/lab/probes.ts'
import { UNIX_ONLY } from './scripts/unix-only.ts'
import { isLong } from './test/extent.ts'
import WaitingFirst from './test/waiting-first.ts'

// Tests read the sources of every package; those that start the command line or an example need a build. Of other packages they get what
// Node would load.
const conditions = ['turnwise-source', 'node', 'development|production']
const leftOut = process.platform === 'win32' ? UNIX_ONLY : []
if (leftOut.length > 0)
  console.log(`left out, since they need sockets in a directory or signals of Unix: ${leftOut.join(' ')}`)

// Node 20 reads these certificates whenever a process starts, which takes longer than all else that an empty one does. Tests start very
// many, and none of them needs any.
delete process.env['NODE_EXTRA_CA_CERTS']

// Node 20 optimises a function after fifteen times as many steps as usual. Most tests run code for milliseconds, and to optimise it took a
// quarter of the processors' time. Later versions have a quicker compiler for such code, and not this option.
const optimisedLater = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []

const alias = { typescript: fileURLToPath(new URL('test/typescript.ts', import.meta.url)) }

export default defineConfig({
  plugins: [probesPlugin()],
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  test: {
    exclude: [...configDefaults.exclude, ...leftOut],
    tags: [{ name: 'long', description: 'left to npm run test:long', skip: !isLong }],
    globalSetup: 'test/run-folder.ts',
    setupFiles: ['test/each-file.ts'],
    reporters: ['default', './scripts/count-reporter.ts'],
    // There are more workers than cores, so threads that collect garbage and compile beside each one gain nothing: without them it all takes
    // an eighth less of the processors' time.
    // A larger nursery: what a search or a run makes is garbage before it is looked at.
    execArgv: [
      '--single-threaded',
      '--min-semi-space-size=32',
      '--max-semi-space-size=64',
      ...optimisedLater,
    ],
    // Some wait most of the time, for a lease or a process. On two cores five keep both busy; with four they are idle for a sixth of the time,
    // and each further one loads and compiles everything once more.
    maxWorkers: Math.min(2 * availableParallelism() + 1, 16),
    sequence: { sequencer: WaitingFirst },
    // Deadlines, for a machine that does much else; no test takes so long by itself.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 180_000 } },
    // Files share what is loaded: to load it anew took a quarter of the time. So no test changes what another one finds.
    isolate: false,
    include: ['packages/*/test/**/*.test.ts', 'torture/test/*.test.ts', 'test/**/*.test.ts'],
  },
})

/**
 * `npm run torture`: `turnwise torture`, as others have it, in a namespace of its own where that is possible; and with
 * `--mutants`, which is for a clone of the project only, the same done to each broken rule (scripts/torture/mutants.ts).
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { main } from '../packages/cli/dist/cli/main.js'
import { tortureMutants } from './torture/mutants.ts'
import { runInNamespace, whyNoNamespace } from './torture/namespace.ts'

const args = process.argv.slice(2)
const isMutants = args.includes('--mutants')
const needsNone = ['--own-namespace', '--help'].some((option) => args.includes(option))
const why = needsNone ? null : whyNoNamespace()
if (why !== null) process.stderr.write(`no namespace of its own: ${why}\n`)
// In a namespace: whoever began it is gone.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
process.exitCode =
  !needsNone && why === null
    ? await runInNamespace([...args, '--own-namespace'])
    : isMutants
      ? await mutants()
      : await main(['torture', ...args])

async function mutants(): Promise<number> {
  try {
    return await tortureMutants(args.filter((arg) => arg !== '--mutants'))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    process.stderr.write(`torture --mutants: ${error.message}\n`)
    return 2
  }
}

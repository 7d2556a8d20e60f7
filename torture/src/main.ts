/** `npm run torture`, in a namespace of its own where that is possible; with `--mutants` the same is done to each broken rule. */
import { torture } from './command.ts'
import { tortureMutants } from './mutants.ts'
import { runInNamespace, whyNoNamespace } from './namespace.ts'

const args = process.argv.slice(2)
// A user who is not root would be root there, as whom PostgreSQL does not run. A directory asks for none.
const isRefused = args.includes('postgres') && process.getuid?.() !== 0
const needsNone =
  isRefused || ['--own-namespace', '--help', 'directory'].some((option) => args.includes(option))
const why = needsNone ? null : whyNoNamespace()
if (why !== null) process.stderr.write(`no namespace of its own: ${why}\n`)
// In a namespace: the process that began it is gone.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
process.exitCode = await run()

function run(): Promise<number> {
  if (!needsNone && why === null) return runInNamespace([...args, '--own-namespace'])
  const isMutants = args.includes('--mutants')
  return isMutants ? tortureMutants(args.filter((arg) => arg !== '--mutants')) : torture(args)
}

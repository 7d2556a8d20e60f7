/** A process of its own for the tests of the state directory: `hold PATH` keeps it open, `write PATH` writes until it dies. */
import { writeSync } from 'node:fs'
import { atLeast } from '../../../../test/present.ts'
import { openStateDirectory } from '../../src/disk/state-directory.ts'

const [task, path] = atLeast(2, process.argv.slice(2))
const say = (line: string) => void writeSync(1, `${line}\n`)

try {
  const disk = await openStateDirectory(path, { id: 'a', mesh: 'mesh' })
  say('open')
  // The lock keeps no process running.
  process.stdin.resume()
  for (let k = disk.durable.k + 1; task === 'write'; k += 1) {
    await disk.persist({ ...disk.durable, k })
    say(String(k))
  }
} catch (error) {
  say(error instanceof Error ? error.name : 'failed')
}

/**
 * A process that hammers a directory until it is killed: `PLACE MESH`. It adds to the counter `view`, and says each number that it
 * put there; it makes, renews and deletes rows of its own.
 */
import { writeSync } from 'node:fs'
import { openDirectory } from '../../src/register/directory.ts'

const [place, mesh] = process.argv.slice(2) as [string, string]
const say = (line: string) => void writeSync(1, `${line}\n`)

const register = await openDirectory(place, mesh, { patience: 120_000 })
say(`open ${register.process}`)
const row = `rows/${register.process}`
for (;;) {
  const view = await register.read('view')
  const next = Number(view?.value ?? 0) + 1
  const outcome = await register.cas('view', view?.version ?? null, String(next))
  if (outcome.kind === 'done') say(`done ${next} ${outcome.version}`)
  if (outcome.kind === 'unknown') say(`unknown ${outcome.why}`)
  const made = await register.read(row)
  const value = made === null || next % 3 > 0 ? JSON.stringify({ process: register.process, next }) : null
  await register.cas(row, made?.version ?? null, value)
}

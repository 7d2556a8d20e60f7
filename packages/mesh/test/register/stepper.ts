/**
 * A process that stops before one step of what it does in a directory, until it is told to go on: `PLACE MESH`. Each line that it gets is
 * a change, with the number of that step. It says `at` when it has come there, and `end` with the outcome.
 */
import * as disk from 'node:fs'
import type { Steps } from '../../src/register/cell-files.ts'
import { openDirectory } from '../../src/register/directory.ts'

export interface Change {
  readonly cell: string
  readonly version: string | null
  readonly value: string | null
  /** Only read the cell. */
  readonly reads?: boolean
  /** From one. After the last step it does not stop. */
  readonly stopsAt: number
}

const [place, mesh] = process.argv.slice(2) as [string, string]
const say = (line: string) => void disk.writeSync(1, `${line}\n`)

/** Nothing else runs here meanwhile, as in a process that the system has stopped. */
function nextLine(): string {
  const bytes: number[] = []
  const one = Buffer.alloc(1)
  while (disk.readSync(0, one) === 1 && one[0] !== 10) bytes.push(one[0] ?? 0)
  if (bytes.length === 0) process.exit()
  return Buffer.from(bytes).toString()
}

let left = 0

function stepping<Step extends (...args: never[]) => unknown>(step: Step): Step {
  const stepped = (...args: Parameters<Step>) => {
    left -= 1
    if (left === 0) {
      say('at')
      nextLine()
    }
    return step(...args)
  }
  return stepped as Step
}

const steps: Steps = {
  mkdirSync: stepping(disk.mkdirSync),
  readdirSync: stepping(disk.readdirSync),
  readFileSync: stepping(disk.readFileSync),
  renameSync: stepping(disk.renameSync),
  rmdirSync: stepping(disk.rmdirSync),
  unlinkSync: stepping(disk.unlinkSync),
  writeFileSync: stepping(disk.writeFileSync),
}

const register = await openDirectory(place, mesh, { steps })
say(`open ${register.process}`)
for (;;) {
  const { cell, version, value, reads, stopsAt } = JSON.parse(nextLine()) as Change
  left = stopsAt
  const outcome = reads
    ? ((await register.read(cell))?.value ?? null)
    : (await register.cas(cell, version, value)).kind
  say(`end ${JSON.stringify(outcome)}`)
}

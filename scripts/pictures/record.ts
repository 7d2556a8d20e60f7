/** Records a run of `turnwise up` in which the holder of a lock is killed: the files of that lock, and what the command printed. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Program } from '@turnwise/fleet/program'
import { KILLED, killIn, type Line, SAID } from './killed.ts'

const TURNWISE = fileURLToPath(new URL('../../packages/cli/bin/turnwise.js', import.meta.url))

/** Whether b holds one lock at that moment is up to the processes. */
const TRIES = 20
const COMMAND = ['up', '--for', '8s', '--kill', 'b@3s']

export async function recordKill(told: (text: string) => void): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const directory = mkdtempSync(join(tmpdir(), 'turnwise-picture-'))
    try {
      told(`turnwise ${COMMAND.join(' ')}, try ${attempt + 1}`)
      const said = await run([...COMMAND, '--no-page', '--record', join(directory, 'run')])
      const kill = killIn(said)
      if (kill === null) continue
      keep(join(directory, 'run'), kill.lock, [{ at: 0, text: `npx turnwise ${COMMAND.join(' ')}` }, ...said])
      return
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  throw new Error(`in ${TRIES} runs node b held no single lock when it was killed`)
}

function keep(from: string, lock: string, said: readonly Line[]): void {
  rmSync(KILLED, { recursive: true, force: true })
  mkdirSync(KILLED, { recursive: true })
  for (const file of readdirSync(from))
    if (file.startsWith(`${lock}.`)) copyFileSync(join(from, file), new URL(file, KILLED))
  writeFileSync(new URL(SAID, KILLED), said.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** Every line that the command prints, with the wall time at which it came, in microseconds as in the traces. */
async function run(args: readonly string[]): Promise<Line[]> {
  const said: Line[] = []
  const program = new Program([TURNWISE, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  program.hear = (text) => said.push({ at: 1000 * Date.now(), text })
  const code = await program.code
  if (code !== 0) throw new Error(`turnwise ${args.join(' ')} ended with ${code}`)
  return said
}

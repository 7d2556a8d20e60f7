// For examples with a daemon: it runs beside them, and ends with them.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Crew } from '@turnwise/fleet/crew'
import { Program } from '@turnwise/fleet/program'

const TURNWISE = fileURLToPath(new URL('../../packages/cli/bin/turnwise.js', import.meta.url))

/** `act({ start, directory })`: `start` runs the same file with the control socket and what else it is given, until it has ended. */
export async function besideDaemon(url, act) {
  const crew = new Crew('tw-')
  const { directory } = crew
  const config = `${directory}/node.json`
  writeFileSync(
    config,
    JSON.stringify({ stateDir: 'state', lease: Number(process.env.EXAMPLE_LEASE ?? 2000) }),
  )
  const daemon = new Program([TURNWISE, 'node', '--config', config])
  crew.take(daemon)
  await daemon.says(/"joined"/)
  const start = async (...given) => {
    const args = [fileURLToPath(url), `${directory}/state/control/socket`, ...given]
    const program = new Program(args, { stdio: ['ignore', 'inherit', 'inherit'] })
    crew.take(program)
    const code = await program.code
    if (code !== 0) throw new Error(`a program ended with ${code}`)
  }
  await act({ start, directory })
  await crew.close()
}

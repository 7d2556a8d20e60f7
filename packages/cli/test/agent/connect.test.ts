/** Clients of a daemon as processes: killed, stopped, and left behind by it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { get } from '@turnwise/core/bounds'
import { Program } from '@turnwise/fleet/program'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { Workplace } from './processes.ts'

const CLIENT = fileURLToPath(new URL('connected.mjs', import.meta.url))

const place = new Workplace()
afterAll(() => place.clear())
const programs: Program[] = []
let daemon: Program
let days = 0

async function startDaemon(lease: number): Promise<void> {
  days += 1
  const config = place.write(`d${days}.json`, { stateDir: `d${days}`, lease })
  daemon = place.start('node', '--config', config)
  await daemon.says(/"joined"/)
}

async function client(): Promise<Program> {
  const program = new Program([CLIENT, place.path(`d${days}/control/socket`)])
  programs.push(program)
  await program.says(/connected/)
  return program
}

function tell(program: Program, line: string): void {
  program.child.stdin?.write(`${line}\n`)
}

async function holder(name: string): Promise<{ readonly program: Program; readonly fence: bigint }> {
  const program = await client()
  tell(program, `acquire ${name}`)
  const fence = get(await program.says(/holds \S+ (\d+)/), 1)
  return { program, fence: BigInt(fence) }
}

/** Waits until the daemon knows so many who wait. */
async function waiting(count: number): Promise<void> {
  await expect
    .poll(async () => {
      const { out } = await place.run('locks', '--json', '--socket', place.path(`d${days}/control/socket`))
      return (JSON.parse(out) as { names: { waiters: unknown[] }[] }).names[0]?.waiters.length
    })
    .toBe(count)
}

afterEach(async () => {
  for (const program of programs) {
    program.kill('SIGCONT')
    program.kill('SIGKILL')
  }
  await Promise.all(programs.splice(0).map(({ code }) => code))
  daemon.kill('SIGKILL')
  await daemon.code
})

test('turnwise lock waits for a daemon that is started later', async () => {
  const socket = place.path(`d${days + 1}/control/socket`)
  const patient = place.start('lock', 'x', '--socket', socket, '--daemon-within', '10m', '--', 'true')
  const hasty = await place.run('lock', 'x', '--socket', socket, '--', 'true')
  expect([hasty.code, hasty.err]).toEqual([75, expect.stringContaining('no daemon can be reached')])
  await startDaemon(600_000)
  expect(await patient.code).toBe(0)
})

describe('with a lease of minutes', () => {
  beforeEach(() => startDaemon(600_000))

  test('a client is killed: the next waiter is inside at once, with a higher fence', async () => {
    const first = await holder('L')
    const next = await client()
    tell(next, 'acquire L')
    await waiting(1)
    first.program.kill('SIGKILL')
    const fence = get(await next.says(/holds L (\d+)/), 1)
    expect(BigInt(fence)).toBeGreaterThan(first.fence)
  })

  test('a client is killed while its job runs: at most once nobody runs it again, at least once the next one does', async () => {
    const [first, next] = [await client(), await client()]
    for (const at of ['most', 'least']) tell(first, `once ${at}`)
    await first.says(/runs most/)
    await first.says(/runs least/)
    first.kill('SIGKILL')
    tell(next, 'once most')
    await next.says(/finds that alone ran it: false/)
    tell(next, 'once least')
    await next.says(/runs least/)
  })

  test('the daemon is killed: what is held is lost at once, and who waits is rejected', async () => {
    const { program } = await holder('L')
    const next = await client()
    tell(next, 'acquire L')
    await waiting(1)
    daemon.kill('SIGKILL')
    await program.says(/lost: "L" is lost: the daemon has closed the connection\n/)
    tell(program, 'look')
    await program.says(/looks false true LOCK_LOST/)
    await next.says(/fails: NoDaemonError: the daemon has closed the connection\n/)
  })

  test('the daemon leaves: it waits for who holds, and lets nobody in any more', LONG, async () => {
    const { program } = await holder('L')
    const next = await client()
    tell(next, 'acquire L')
    await waiting(1)
    daemon.kill('SIGTERM')
    await next.says(/fails: InvalidStateError: node alone is leaving\n/)
    tell(program, 'look')
    await program.says(/looks true false undefined/)
    tell(program, 'release')
    expect(await daemon.code).toBe(0)
    expect(program.out).not.toContain('lost')
  })

  test('a client that is left with nothing to do ends', LONG, async () => {
    const { program } = await holder('L')
    program.child.stdin?.end()
    expect(await program.code).toBe(0)
  })
})

test('a client is stopped for longer than a lease: the lock moves on, and it knows before it can do anything', async () => {
  await startDaemon(1500)
  const { program, fence } = await holder('L')
  tell(program, 'stop')
  await program.says(/stops/)
  const next = await holder('L')
  expect(next.fence).toBeGreaterThan(fence)
  expect(program.out).not.toContain('looks')
  program.kill('SIGCONT')
  await program.says(/looks (\w+ \w+ \w+)/)
  expect(program.out).toContain('looks false true LOCK_LOST\n')
  expect(daemon.err).toContain('"event":"a client was silent for a lease"')
  // It goes on as a client.
  tell(program, 'acquire other')
  await program.says(/holds other \d+/)
})

test(
  'the daemon is stopped for longer than a lease: its clients have lost what they held, by their own clock',
  LONG,
  async () => {
    await startDaemon(1500)
    const { program } = await holder('L')
    daemon.kill('SIGSTOP')
    await program.says(/lost: "L" is lost: the lease ended before it was renewed\n/)
    daemon.kill('SIGCONT')
    const next = await client()
    tell(next, 'acquire L')
    await next.says(/holds L/)
  },
)

test(
  'turnwise lock is stopped for longer than a lease: its command runs on, so nobody else is let in',
  LONG,
  async () => {
    const lease = 1500
    await startDaemon(lease)
    const socket = place.path(`d${days}/control/socket`)
    const script = 'echo pid $$; while :; do sleep 0.1; done'
    const guarded = place.start('lock', 'L', '--socket', socket, '--', 'sh', '-c', script)
    const pid = get(await guarded.says(/pid (\d+)/), 1)
    guarded.kill('SIGSTOP')
    const next = await client()
    tell(next, 'acquire L')
    await waiting(1)
    // Nothing happens that could be waited for.
    await new Promise((resolve) => setTimeout(resolve, 2 * lease))
    expect(next.out).not.toContain('holds')
    expect(isRunning(pid)).toBe(true)
    guarded.kill('SIGCONT')
    await next.says(/holds L/)
    expect(isRunning(pid)).toBe(false)
    expect(await guarded.code).toBe(76)
  },
)

/** The dead whom nobody has buried yet do not run. */
function isRunning(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** A daemon that cannot be what it was told to be says why in one line, and ends. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { freeAddresses } from '@turnwise/fleet/ports'
import { DEADLINE_MS, Program } from '@turnwise/fleet/program'
import { afterAll, describe, expect, test } from 'vitest'
import { INSTALLED } from '../../../../test/turnwise.ts'
import { Workplace } from './processes.ts'

const place = new Workplace()
afterAll(() => place.clear())

async function config(name: string, more: object): Promise<string> {
  const peers = await freeAddresses(['a', 'b'])
  return place.write(`${name}.json`, {
    id: 'a',
    peers,
    stateDir: name,
    socket: `${name}-control/socket`,
    ...more,
  })
}

/** The exit code, and the last line of what it told: without a terminal a daemon's log is JSON. */
async function end(path: string): Promise<[code: number, line: string]> {
  const { code, err } = await place.run('node', '--config', path)
  expect(err).not.toMatch(/^ +at /m)
  const line = err.trimEnd().split('\n').at(-1) ?? ''
  return [code, line.startsWith('{') ? (JSON.parse(line) as { event: string }).event : line]
}

describe('turnwise node', () => {
  test('with an unknown algorithm', async () => {
    expect(await end(await config('algorithm', { algorithm: 'nemo' }))).toEqual([
      2,
      'turnwise: "nemo" is not an algorithm: turnwise algorithms lists all',
    ])
  })

  test('at a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const listen = `127.0.0.1:${port}`
    expect(await end(await config('port', { listen }))).toEqual([
      1,
      `cannot join: listen EADDRINUSE: address already in use ${listen}`,
    ])
    server.close()
  })

  // Not even root may write there.
  test.skipIf(process.platform !== 'linux')('with a state directory that cannot be written', async () => {
    const [code, line] = await end(await config('unwritable', { stateDir: '/sys/turnwise' }))
    expect(code).toBe(2)
    expect(line).toMatch(/^turnwise: the state directory \/sys\/turnwise cannot be used: E\w+: /)
  })

  test('with a state that is corrupt: it is left as it is', async () => {
    const path = await config('corrupt', {})
    mkdirSync(place.path('corrupt'))
    writeFileSync(place.path('corrupt/state'), 'garbage')
    const [code, line] = await end(path)
    expect(code).toBe(1)
    expect(line).toBe(
      `cannot join: ${place.path('corrupt/state')} cannot be used: it is not a state file of turnwise, or its ` +
        'beginning is lost. If it is lost for good, remove the directory: the node then comes back as a new voter',
    )
    expect(readFileSync(place.path('corrupt/state'), 'utf8')).toBe('garbage')
  })
})

// Each write there says that the disk is full.
test.skipIf(!existsSync('/dev/full'))('a log that cannot be written does not end a daemon', async () => {
  const path = place.write('full.json', { stateDir: 'full' })
  const args = [process.execPath, INSTALLED, 'node', '--config', path]
  const daemon = new Program(['-c', 'exec "$0" "$@" 2>/dev/full', ...args], { file: '/bin/sh' })
  const socket = place.path('full/control/socket')
  const ask = () => place.run('status', '--ready', '--socket', socket)
  await expect.poll(async () => daemon.isRunning && (await ask()).code, { timeout: DEADLINE_MS }).not.toBe(75)
  expect(await ask()).toEqual({ code: 0, out: '', err: '' })
  daemon.kill('SIGTERM')
  expect(await daemon.code).toBe(0)
})

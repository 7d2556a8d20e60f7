import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { get } from '@turnwise/core/bounds'
import type { Program } from '@turnwise/fleet/program'
import { LONGEST_QUESTION, VERSION } from '@turnwise/mesh/daemon/control-messages'
import { MOST_TICKETS } from '@turnwise/mesh/daemon/holdings'
import { Client } from '@turnwise/mesh/daemon/line-client'
import { readQuestion } from '@turnwise/mesh/daemon/read-control-messages'
import { exclusive } from '@turnwise/mesh/daemon/wanted'
import { NoDaemonError } from '@turnwise/mesh/locks/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { openControlSocket, outliveAbandoned } from '../../src/agent/control-socket.ts'
import { HELLO, Workplace } from './processes.ts'

/** So long that a busy machine does not end it. */
const LEASE = 10_000

const place = new Workplace()
afterAll(() => place.clear())

test('docs/operate.md shows what a client of this version says first', () => {
  const page = readFileSync(new URL('../../../../docs/operate.md', import.meta.url), 'utf8')
  const [, hello = ''] = /`(\{"kind":"hello".*?\})`/.exec(page) ?? []
  expect(readQuestion(hello)).toMatchObject({ kind: 'hello', version: VERSION })
})

describe('the socket', () => {
  test("is its owner's alone, and so is its directory", async () => {
    const path = place.path('own/socket')
    const socket = await openControlSocket(path, 100, () => {})
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(place.path('own')).mode & 0o777).toBe(0o700)
    await socket.close(true)
    expect(existsSync(path)).toBe(false)
  })

  test('is not made where others can enter', async () => {
    mkdirSync(place.path('open'))
    chmodSync(place.path('open'), 0o755)
    await expect(openControlSocket(place.path('open/socket'), 100, () => {})).rejects.toThrow(
      `the directory ${place.path('open')} of the control socket is open to others (mode 755): chmod 700 ${place.path('open')}`,
    )
  })

  test('is not made in place of something else, nor where its path is too long', async () => {
    mkdirSync(place.path('taken'), { mode: 0o700 })
    const file = place.write('taken/socket', {})
    await expect(openControlSocket(file, 100, () => {})).rejects.toThrow(`${file} exists and is not a socket`)
    const long = place.path(`${'x'.repeat(100)}/socket`)
    await expect(openControlSocket(long, 100, () => {})).rejects.toThrow(
      `has ${Buffer.byteLength(long)} bytes, at most 103 are allowed`,
    )
  })

  test('belongs to one of several who want it at once', async () => {
    const path = place.path('wanted/socket')
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, () => openControlSocket(path, 100, () => {})),
    )
    const sockets = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
    expect(sockets).toHaveLength(1)
    // Nobody who lost has removed it.
    expect(existsSync(path)).toBe(true)
    await get(sockets, 0).close(true)
  })

  test('tells of the daemon before it, if that did not end in good order', async () => {
    const path = place.path('before/socket')
    const first = await openControlSocket(path, 70, () => {})
    expect(first.abandonedLeaseMs).toBeNull()
    await first.close(false)
    const second = await openControlSocket(path, 30, () => {})
    expect(second.abandonedLeaseMs).toBe(70)
    await second.close(false)
    // The second may have ended before the first one's lease did.
    const before = performance.now()
    await outliveAbandoned(path)
    expect(performance.now() - before).toBeGreaterThanOrEqual(69)
    const third = await openControlSocket(path, 30, () => {})
    expect(third.abandonedLeaseMs).toBeNull()
    await third.close(true)
  })

  test('tells of it with the state, if the directory of the socket is gone: systemd removes that of a killed service', async () => {
    const [path, stateDir] = [place.path('run/socket'), place.path('state')]
    const first = await openControlSocket(path, 70, () => {}, stateDir)
    await expect(openControlSocket(place.path('other/socket'), 70, () => {}, stateDir)).rejects.toThrow(
      `another daemon uses ${place.path('state/control')}`,
    )
    await first.close(false)
    rmSync(place.path('run'), { recursive: true })
    const second = await openControlSocket(path, 30, () => {}, stateDir)
    expect(second.abandonedLeaseMs).toBe(70)
    await second.close(true)
    const third = await openControlSocket(path, 30, () => {}, stateDir)
    expect(third.abandonedLeaseMs).toBeNull()
    await third.close(true)
  })
})

describe('a daemon', () => {
  let daemon: Program
  const path = place.path('d/control/socket')

  beforeAll(async () => {
    daemon = place.start(
      'node',
      '--config',
      place.write('d.json', { stateDir: 'd', lease: LEASE }),
      '--json-logs',
    )
    await daemon.says(/"joined"/)
  })

  /** What it answers to these bytes before it closes the connection. */
  function answersTo(bytes: string): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      let text = ''
      const socket = connect(path, () => socket.write(bytes))
      socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      socket.on('error', reject)
      socket.on('close', () =>
        resolve(
          text
            .trim()
            .split('\n')
            .map((line): unknown => JSON.parse(line)),
        ),
      )
    })
  }
  const hello = { kind: 'hello', version: VERSION, id: 'alone', lease: LEASE }

  /** A client that keeps what it holds, however long the test takes. */
  async function beating(): Promise<Client> {
    const client = await Client.open(path)
    const timer = setInterval(() => client.put('beat', { echo: null }), LEASE / 20)
    client.onBroken = () => clearInterval(timer)
    beats.push(timer)
    return client
  }
  const beats: NodeJS.Timeout[] = []
  afterAll(() => beats.forEach(clearInterval))

  test.each([
    ['garbage', 'GET / HTTP/1.1\r\n\r\n', 'it is not JSON'],
    [
      'another version',
      `{"kind":"hello","version":${VERSION + 1},"more":1}\n`,
      `expected version ${VERSION} of the protocol, got ${VERSION + 1}`,
    ],
    ['no hello', '{"kind":"status","ticket":1}\n', 'expected a hello first'],
    ['no object', 'null\n', 'null is not an object'],
    ['an unknown kind', '{"kind":"obey","ticket":1}\n', 'kind: "obey" is unknown'],
    [
      'a line without end',
      'x'.repeat(LONGEST_QUESTION + 1),
      `a line is longer than ${LONGEST_QUESTION} characters`,
    ],
  ])('refuses %s', async (_, bytes, message) => {
    expect(await answersTo(bytes)).toEqual([{ kind: 'error', message }])
  })

  test('refuses questions with fields that are wrong, missing or too many', async () => {
    const wrong = { kind: 'acquire', ticket: 1, ...exclusive('x'), mode: 'both' }
    for (const [question, complaint] of [
      [wrong, 'acquire: mode: "both" is not one of exclusive, shared, update'],
      [
        { ...wrong, mode: 'shared', timeout: -1 },
        'acquire: timeout: -1 is not a number from 0 to 2147483647',
      ],
      [{ kind: 'status' }, 'status: ticket: nothing is not a whole number from 0 to 9007199254740991'],
      [{ kind: 'beat', ticket: 1, echo: null, more: 1 }, 'beat: expected 3 fields, got 4'],
    ]) {
      expect(await answersTo(`${HELLO}${JSON.stringify(question)}\n`)).toEqual([
        hello,
        { kind: 'error', message: complaint },
      ])
    }
  })

  test('releases what a client holds, and forgets what it waits for, as soon as it is gone', async () => {
    const one = await Client.open(path)
    const wanted = exclusive('x')
    const held = one.put('acquire', wanted)
    expect(await one.ask('acquire', exclusive('other'))).toMatchObject({ kind: 'granted', heard: held + 1 })
    const other = await Client.open(path)
    expect(await other.ask('acquire', { ...wanted, timeout: 0 })).toMatchObject({
      kind: 'refused',
      why: 'timeout',
      message: 'timed out after 0 ms waiting for "x"',
    })
    const wait = other.ask('acquire', wanted)
    one.close()
    const granted = await wait
    expect(granted).toMatchObject({ kind: 'granted', left: expect.any(Number) })
    expect(await other.ask('beat', { echo: null })).toMatchObject({ kind: 'beat', left: expect.any(Number) })
    const hold = granted.ticket
    expect(await other.ask('release', { hold })).toMatchObject({ kind: 'released', wasHeld: true })
    expect(await other.ask('release', { hold })).toMatchObject({ kind: 'released', wasHeld: false })
    expect(await other.ask('beat', { echo: null })).toMatchObject({ kind: 'beat', left: 0 })
    other.close()
    await expect(other.ask('beat', { echo: null })).rejects.toThrow(NoDaemonError)
  })

  test('keeps what a command relies on for half a lease after its client has gone', async () => {
    const gone = await Client.open(path, { lingers: true })
    const wanted = exclusive('y')
    await gone.ask('acquire', wanted)
    const next = await Client.open(path)
    const wait = next.ask('acquire', wanted)
    gone.close()
    const closed = performance.now()
    expect(await wait).toMatchObject({ kind: 'granted' })
    expect(performance.now() - closed).toBeGreaterThanOrEqual(LEASE / 2 - 5)
    next.close()
    const { err } = daemon
    expect(err).toMatch(
      new RegExp(`"name":"y","grace":${LEASE / 2},"event":"a client has gone with a lock"}`),
    )
  })

  test('lets one client hold and await so many, and no more', async () => {
    const greedy = await beating()
    // And some more: on a busy machine the client may lose its lock meanwhile, and that makes room for one.
    for (let i = 0; i < MOST_TICKETS + 100; i += 1) greedy.put('acquire', exclusive('many'))
    expect(await greedy.ask('acquire', exclusive('more'))).toMatchObject({
      kind: 'refused',
      why: 'quota',
      message: 'cannot request "more": this client holds and awaits 10000 locks, which is the limit',
    })
    const status = await greedy.ask('status', {})
    expect(status).toMatchObject({ status: { holding: 1 } })
    // Opened before: the daemon is busy with ten thousand requests that end, and a client that comes gives up after a while.
    const next = await beating()
    greedy.close()
    expect(await next.ask('acquire', exclusive('many'))).toMatchObject({ kind: 'granted' })
    next.close()
  })

  test('is the only one of its directory', async () => {
    const { code, err } = await place.run('node', '--config', place.path('d.json'))
    expect([code, err]).toEqual([
      2,
      `turnwise: another daemon has its control socket in ${place.path('d/control')}\n`,
    ])
    const member = await place.run('lock', 'x', '--config', place.path('d.json'), '--', 'true')
    expect(member.code).toBe(75)
    expect(member.err).toBe(`turnwise: the state directory ${place.path('d')} is in use by another process\n`)
  })

  test('does not leave while somebody holds, unless it is told twice', LONG, async () => {
    const holder = await beating()
    const asked = new Promise((resolve) => {
      holder.onUnasked = resolve
    })
    await holder.ask('acquire', exclusive('z'))
    daemon.kill('SIGTERM')
    expect(await asked).toEqual({ kind: 'end', message: 'node alone is leaving' })
    const late = await Client.open(path)
    expect(await late.ask('acquire', exclusive('q'))).toMatchObject({
      kind: 'refused',
      message: 'node alone is leaving',
    })
    daemon.kill('SIGINT')
    expect(await daemon.code).toBe(130)
    for (const line of daemon.err.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({
        time: expect.any(String),
        level: expect.stringMatching(/^(info|warn)$/),
        node: 'alone',
      })
    }
    const next = place.start('node', '--config', place.path('d.json'))
    await next.says(
      new RegExp(
        `"ms":${LEASE},"event":"the daemon before this one was killed: waiting for its lease to end"`,
      ),
    )
    await next.says(/"joined"/)
    next.kill('SIGTERM')
    expect(await next.code).toBe(0)
    expect(existsSync(place.path('d/control/running'))).toBe(false)
  })
})

test('a daemon without a majority can be asked and be ended', LONG, async () => {
  const peers = { a: '127.0.0.1:1', b: '127.0.0.1:2' }
  const config = place.write('alone.json', {
    id: 'a',
    listen: '127.0.0.1:0',
    peers,
    stateDir: 'alone',
    lease: 400,
  })
  const daemon = place.start('node', '--config', config)
  await daemon.says(/control socket open/)
  const { code, out } = await place.run('status', '--config', config)
  expect(code).toBe(0)
  expect(out).toMatch(/^view not joined yet; lease not valid$/m)
  expect(out).toMatch(/^b +– +voter +missing$/m)
  const lock = await place.run(
    'lock',
    'x',
    '--socket',
    place.path('alone/control/socket'),
    '--timeout',
    '100ms',
    '--',
    'true',
  )
  expect([lock.code, lock.err]).toEqual([75, 'turnwise: timed out after 100 ms waiting for "x"\n'])
  daemon.kill('SIGTERM')
  expect(await daemon.code).toBe(0)
  const member = await place.run('lock', 'x', '--config', config, '--timeout', '300ms', '--', 'true')
  expect(member.code).toBe(75)
  expect(member.err).toContain('did not join in ')
  expect(member.err).toContain(' ms: the first view needs every voter (a, b), and b is missing')
})

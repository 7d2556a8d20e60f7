/** `turnwise up` where its nodes meet at a place. */
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { freeAddress } from '@turnwise/fleet/ports'
import { Program } from '@turnwise/fleet/program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { serverObstacle } from '../../../../test/servers.ts'
import { INSTALLED } from '../../../../test/turnwise.ts'
import type { Happening } from '../../src/cluster/picture.ts'
import { Session } from '../../src/cluster/session.ts'
import { Workplace } from '../agent/processes.ts'
import { expectRefusal, turnwise } from './in-process.ts'

/** Where the program makes its directories. PostgreSQL may run as another user, who must be able to go there. */
const place = new Workplace()
const temporary = place.path('tmp')
beforeAll(() => {
  mkdirSync(temporary)
  chmodSync(place.directory, 0o755)
})
afterAll(() => place.clear())

interface Report {
  readonly place: string
  readonly violations: readonly unknown[]
  readonly view: { readonly members: readonly string[] }
  readonly perNode: readonly { readonly turns: number }[]
  readonly happenings: readonly Happening[]
}

/** Runs the built program to its end. */
async function up(...args: readonly string[]): Promise<{ code: number; report: Report; told: string[] }> {
  const { code, out, err } = await new Program([INSTALLED, 'up', '--json', '--no-page', ...args], {
    env: { TMPDIR: temporary },
  }).ended
  if (out === '') throw new Error(err)
  const report = JSON.parse(out) as Report
  return { code, report, told: report.happenings.map(({ text }) => text) }
}

describe('nodes that meet in a directory', { timeout: 180_000 }, () => {
  const at = place.path('l')

  test(
    'one is killed and comes back as a new member, and is the same one in the recording',
    LONG,
    async () => {
      const run = place.path('run')
      const line = ['--nodes', '3', '--for', '6s', '--kill', 'b@1s-3s', '--pause', 'c@2s-3s', '--record', run]
      const { code, report, told } = await up('--at', at, '--lease', '10s', ...line)
      expect(report.violations).toEqual([])
      expect(code).toBe(0)
      expect(report.place).toBe(at)
      expect(report.view.members.toSorted()).toEqual(['a', 'b', 'c'])
      for (const { turns } of report.perNode) expect(turns).toBeGreaterThan(0)
      // The kernel's word: the lease would take ten seconds.
      expect(told).toContainEqual(expect.stringMatching(/^view \d+: .*, without b/))
      expect(told).toContainEqual(expect.stringMatching(/^view \d+: .*b is back/))
      expect(readdirSync(temporary)).toEqual([])
      const parts = readdirSync(run).filter((file) => file.startsWith('orders.'))
      expect(parts.toSorted()).toEqual([
        'orders.a.trace',
        'orders.b.trace',
        'orders.b.trace.1',
        'orders.c.trace',
      ])
      const replay = await turnwise(['replay', ...parts.map((file) => `${run}/${file}`)])
      expect(replay.code, replay.err.join(' ')).toBe(0)
    },
  )

  test('the mesh is there with its settings: others are told which', LONG, async () => {
    await expectRefusal(
      `up --at ${at} --lease 3s`,
      `the mesh "up" at ${at} has algorithm token-queue and lease 10000 ms: give --algorithm token-queue --lease 10000ms, or another --mesh`,
    )
  })
})

test('the password of a place is on no screen', () => {
  const place = { at: 'postgres://me:hunter2@127.0.0.1:1/app', mesh: 'up' }
  const common = { ids: ['a'], names: ['x'], algorithm: 'token-queue', leaseMs: 2000, seed: 1, record: null }
  const session = new Session(
    { ...common, place, distance: null, for: null, faults: [], isAttended: true },
    () => {},
  )
  expect(session.snapshot().place?.name).toBe('postgres://me@127.0.0.1:1/app')
})

describe('what is wrong is told in one line', () => {
  test.each([
    ['up --mesh x', '--mesh needs --at'],
    [
      'up --at ./x --latency three-zones',
      '--latency three-zones: nodes that meet at a place dial each other directly, so leave --at out',
    ],
    ['up --at ./x --cut b@1s', '--cut b@1s: nodes that meet in a directory have no links that could be cut'],
    [
      'up --at etcd://127.0.0.1:1 --cut b@1s',
      '--cut b@1s: a node can be cut off from an engine that turnwise up has started: --at postgres or --at etcd',
    ],
    ['up --at ./x --kill engine@1s', '--kill engine@1s: "engine" is not a node: a, b, c, d, e'],
  ])('%s', (line, complaint) => expectRefusal(line, complaint))

  test('a place that is none, or does not answer', async () => {
    expect((await turnwise(['up', '--at', 'mongo'])).err).toEqual([
      expect.stringMatching(/^turnwise: --at: "mongo" is not a place to meet: /),
    ])
    const nobody = await freeAddress()
    const { code, err } = await turnwise(['up', '--at', `etcd://${nobody}/x`])
    expect(code).toBe(75)
    expect(err).toEqual([
      expect.stringContaining(
        `turnwise: the mesh at etcd://${nobody}/x cannot be reached: etcd does not answer`,
      ),
    ])
  })

  test('an engine that is not installed', async () => {
    const path = process.env['PATH']
    try {
      process.env['PATH'] = '/nowhere'
      await expectRefusal('up --at etcd', '--at etcd: it is not installed here: apt-get install etcd-server')
    } finally {
      process.env['PATH'] = path
    }
  })
})

/** A superuser of PostgreSQL may run programs in the name of the user that started it. */
test.skipIf(serverObstacle('postgresql') !== null)(
  'a PostgreSQL that is started lets nobody else in',
  { timeout: 180_000 },
  async () => {
    const program = new Program([INSTALLED, 'up', '--at', 'postgres', '--nodes', '1', '--for', '10m'], {
      env: { TMPDIR: temporary },
    })
    try {
      const [, address = ''] = await program.says(/page: (\S+)\/#/)
      await program.says(/view \d+: a/)
      const { code, err } = await turnwise(['status', '--at', await placeTold(address)])
      expect(code).toBe(75)
      expect(err[0]).toMatch(/password/)
    } finally {
      program.kill('SIGTERM')
      await program.code
    }
  },
)

/** Where the nodes meet, as the page is told. */
async function placeTold(address: string): Promise<string> {
  const { body } = await fetch(`${address}/live`)
  let told = ''
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    told += new TextDecoder().decode(bytes)
    const found = /"place":\{"name":"([^"]+)"/.exec(told)
    if (found !== null) return get(found, 1)
  }
  throw new Error(`the page is told ${told}`)
}

for (const [name, engine] of [
  ['postgres', 'postgresql'],
  ['etcd', 'etcd'],
] as const) {
  const obstacle = serverObstacle(engine)
  if (obstacle !== null) console.log(`left out: nodes that meet at ${name}; ${obstacle}`)

  test.skipIf(obstacle !== null)(
    `an engine that is started, killed and started again: ${name}`,
    { ...LONG, timeout: 180_000 },
    async () => {
      const faults = ['--kill', 'engine@1s-2s', '--cut', 'b@3s-4s']
      const { code, report, told } = await up(
        '--at',
        name,
        '--nodes',
        '3',
        '--lease',
        '20s',
        '--for',
        '5s',
        ...faults,
      )
      expect(report.violations).toEqual([])
      expect(code).toBe(0)
      expect(report.place).toMatch(new RegExp(`^${name}://.*127\\.0\\.0\\.1:\\d+/`))
      // With so long a lease nobody notices.
      expect(told.filter((text) => text.includes('engine') || text.includes('lost'))).toEqual([
        'the engine is killed with kill -9',
        'the engine is started again',
        expect.stringMatching(/^b is cut off from the engine/),
        'b can reach the engine again',
      ])
      expect(readdirSync(temporary)).toEqual([])
    },
  )
}

/** Lines at the control socket that no client sends: the daemon goes on, and others keep what they hold. */
import { connect } from 'node:net'
import { DEADLINE_MS } from '@turnwise/fleet/program'
import { Client } from '@turnwise/mesh/daemon/line-client'
import { exclusive } from '@turnwise/mesh/daemon/wanted'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Agent } from '../../src/agent/agent.ts'
import { readNodeConfig } from '../../src/agent/config.ts'
import { answerTo, requestOf, statusOf } from '../http/raw.ts'
import { HELLO, Workplace } from './processes.ts'

const place = new Workplace()
const path = place.path('f/control/socket')
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let agent: Agent

beforeAll(async () => {
  // Of minutes: a holder keeps it, however busy the machine is.
  agent = new Agent(readNodeConfig(place.write('f.json', { stateDir: 'f', lease: 600_000 })), quiet)
  await agent.start(path)
  await agent.joined
})
afterAll(async () => {
  await agent.end('the test is over')
  await place.clear()
})

/** Says it, hangs up, and waits until the daemon has hung up too. */
function said(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path, () => socket.end(lines.join('')))
    const timer = setTimeout(() => reject(new Error(`no end of ${JSON.stringify(lines)}`)), DEADLINE_MS)
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    null,
    -1,
    1.5,
    2 ** 53,
    1e308,
    '',
    'x'.repeat(2000),
    '__proto__',
    [],
    {},
    'constructor',
    '\u0000',
    '-x',
    'now',
    'steal',
    'semaphore',
    'election',
  ),
)
const FIELDS =
  'ticket what name mode permits algorithm how timeout priority waitForQuorum info holders parts hold time skew at isDone since key version lingers kind __proto__ toString more'.split(
    ' ',
  )
const KINDS = [
  'hello',
  'status',
  'locks',
  'metrics',
  'acquire',
  'acquire-all',
  'acquire-job',
  'beat',
  'release',
  'downgrade',
  'upgrade',
  'desist',
  'look-up',
  'note',
  'confirm',
  'survey',
  'constructor',
  'obey',
] as const
const right = { ticket: 1, ...exclusive('orders'), timeout: 0 }
const line = fc.oneof(
  fc.constantFrom(...KINDS).map((kind) => JSON.stringify({ kind, ticket: 1 })),
  fc.string().map((name) => JSON.stringify({ kind: 'acquire', ...right, name })),
  fc
    .tuple(fc.constantFrom('release', 'downgrade', 'upgrade', 'desist'), fc.nat(9))
    .map(([kind, hold]) => JSON.stringify({ kind, ticket: 1, hold })),
  fc
    .tuple(fc.nat(9), fc.array(fc.constantFrom('theirs', 'orders', '-x', ''), { maxLength: 4 }))
    .map(([ticket, names]) => {
      const { what: _what, name: _name, permits: _permits, algorithm: _algorithm, mode, ...waits } = right
      const { how: _how, ...jobWaits } = waits
      if (names.length === 1)
        return JSON.stringify({ kind: 'acquire-job', ...jobWaits, ticket, name: names[0] })
      const parts = names.map((name) => ({ name, mode }))
      return JSON.stringify({ kind: 'acquire-all', ...waits, ticket, parts })
    }),
  fc
    .tuple(fc.nat(9), fc.integer(), fc.constantFrom('look-up', 'note', 'confirm'))
    .map(([hold, time, kind]) => {
      const of = { 'look-up': { time, skew: 0 }, note: { at: time, isDone: true, since: 0 }, confirm: {} }
      return JSON.stringify({ kind, ticket: 1, hold, ...of[kind] })
    }),
  fc.string({ minLength: 1 }).map((key) => JSON.stringify({ kind: 'survey', ticket: 1, key, hold: null })),
  // Rightly asked, again and again: what is held, given up and asked for once more under the same ticket.
  fc
    .tuple(
      fc.nat(9),
      fc.constantFrom('lock', 'semaphore', 'election'),
      fc.constantFrom('wait', 'now', 'steal'),
    )
    .map(([ticket, what, how]) =>
      JSON.stringify({ kind: 'acquire', ...right, ticket, what, how, name: 'theirs' }),
    ),
  fc
    .tuple(fc.constantFrom(...KINDS), fc.dictionary(fc.constantFrom(...FIELDS), odd))
    .map(([kind, fields]) => JSON.stringify({ ...right, kind, ...fields })),
  odd.map((value) => JSON.stringify(value)),
  fc.string(),
  fc.constantFrom(
    '['.repeat(10_000),
    '{"a":'.repeat(3000),
    'x'.repeat(20_000),
    '\ufeff{}',
    '{"kind":"hello","version":1e999}',
  ),
)
const talk = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n', '')), { maxLength: 6 }),
  )
  .map(([isPolite, lines]) => [isPolite ? HELLO : '', ...lines.map((parts) => parts.join(''))])

test('whatever is said there, others keep their locks', async () => {
  const holder = await Client.open(path)
  const kept = await holder.ask('acquire', exclusive('kept'))
  expect(kept).toMatchObject({ kind: 'granted' })
  const check = fc.asyncProperty(fc.array(talk, { minLength: 1, maxLength: 6 }), async (talks) => {
    for (const text of await Promise.all(talks.map(said))) {
      for (const answer of text.split('\n').slice(0, -1)) expect(JSON.parse(answer)).toHaveProperty('kind')
    }
    expect(await holder.ask('status', {})).toMatchObject({
      kind: 'status',
      status: { joined: true, holding: 1 },
    })
  })
  await fc.assert(check, { numRuns: 150 })
  expect(await holder.ask('release', { hold: kept.ticket })).toMatchObject({
    kind: 'released',
    wasHeld: true,
  })
  holder.close()
}, 240_000)

test('a client that reads nothing, because it was stopped, does not keep a daemon that leaves', async () => {
  const stuck = place.path('s/control/socket')
  const leaving = new Agent(readNodeConfig(place.write('s.json', { stateDir: 's' })), quiet)
  await leaving.start(stuck)
  await leaving.joined
  const socket = connect(stuck)
  socket.on('error', () => {})
  const questions = Array.from({ length: 4000 }, (_, i) => `{"kind":"status","ticket":${i + 1}}\n`)
  await new Promise<void>((sent) => socket.write(HELLO + questions.join(''), () => sent()))
  // Its answers are more than the system keeps for a reader.
  await expect.poll(() => leaving.status().clients).toBe(1)
  await expect(leaving.end('the test is over')).resolves.toBe(true)
  socket.destroy()
})

test('one request without a token does not end a daemon, nor turnwise up', async () => {
  const token = 'abcdefgh-12345678'
  const config = place.write('h.json', {
    stateDir: 'h',
    page: { listen: '127.0.0.1:0', token },
    metrics: { listen: '127.0.0.1:0' },
  })
  const daemon = place.start('node', '--config', config)
  const up = place.start('up', '--nodes', '1', '--for', '10m')
  const [, metrics] = await daemon.says(/"at":"http:\/\/127\.0\.0\.1:(\d+)\/metrics"/)
  const [, page] = await daemon.says(/"at":"http:\/\/127\.0\.0\.1:(\d+)\/#\/live"/)
  const [, other] = await up.says(/page: http:\/\/127\.0\.0\.1:(\d+)\//)
  for (const [port, path, status] of [
    [page, `/?token=${token}`, 200],
    [metrics, '/metrics', 200],
    [other, '/', 200],
  ] as const) {
    await answerTo({ port: Number(port) }, requestOf('//'))
    expect(statusOf(await answerTo({ port: Number(port) }, requestOf(path)))).toBe(status)
  }
  daemon.kill('SIGTERM')
  expect(await daemon.code).toBe(0)
  up.kill('SIGTERM')
  expect(await up.code).toBe(143)
}, 120_000)

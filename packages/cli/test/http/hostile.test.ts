/** Requests that no browser sends: whatever comes, the servers of a node go on, and tell nothing to strangers. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import type { LiveView } from '@turnwise/lab/live/live-view'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import { serveMetrics } from '../../src/agent/metrics-server.ts'
import { registryOf } from '../../src/agent/prometheus.ts'
import { servePage } from '../../src/page/page-server.ts'
import { answerTo, type Port, requestOf, statusOf } from './raw.ts'

const TOKEN = 'abcdefgh-12345678'
const loopback = { host: '127.0.0.1', port: 0 }
const folder = mkdtempSync(join(tmpdir(), 'turnwise-hostile-'))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<!doctype html>')
writeFileSync(join(folder, 'assets/a.js'), '1')
const view = { title: 'a test' } as LiveView

interface Served extends Port {
  readonly close: () => Promise<void>
  /** A request that it answers with 200. */
  readonly good: string
}

async function page(token: string | null): Promise<Served> {
  const served = await servePage({
    address: loopback,
    token,
    view: () => view,
    act: (id) => {
      if (id === 'throws') throw new Error('a fault of ours')
      return null
    },
    recordingOf: (name) => {
      if (name === 'throws') throw new Error('a fault of ours')
      return []
    },
    folder,
  })
  const good = requestOf(token === null ? '/' : `/?token=${token}`)
  return { port: Number(new URL(served.url).port), close: () => served.close(), good }
}

async function metrics(): Promise<Served> {
  const server = await serveMetrics(
    loopback,
    registryOf('a', () => null),
  )
  return { port: server.address.port, close: () => server.close(), good: requestOf('/metrics') }
}

const SERVERS = {
  'the page': () => page(null),
  'the page with a token': () => page(TOKEN),
  metrics,
}

const words = (text: string) => text.split(' ')
const TARGETS = words('/ // /// //x /\\ * ? # /% /%2e%2e/ /%ff%fe /%00 /live /act')
const MORE = words(
  '/recording?name=throws /recording /assets/a.js /assets/../index.html /index.html /metrics',
)
const NO_PATHS = words('http:// http://[ http://localhost/ https://x:99999/ //[::1 /?token=% /?token[]=1')
const odd = fc.constantFrom(...TARGETS, ...MORE, ...NO_PATHS, 'x y', '')
const target = fc.oneof(
  odd,
  fc.string().map((text) => `/${text}`),
  // Not `fc.webUrl`, which takes seconds to make.
  fc
    .tuple(fc.constantFrom('http', 'https', 'HTTP'), fc.string(), fc.string())
    .map(([scheme, host, path]) => `${scheme}://${host}/${path}`),
  fc.tuple(odd, odd).map((two) => two.join('')),
)
const method = fc.constantFrom(...words('GET HEAD POST PUT OPTIONS CONNECT TRACE get PRI'), '', 'G\tT')
const HEADERS = words(
  'host origin content-type content-length transfer-encoding upgrade connection expect range __proto__ constructor :',
)
const header = fc.tuple(
  fc.constantFrom(...HEADERS, ''),
  fc.oneof(
    fc.constantFrom(
      'localhost',
      'evil.example',
      'null',
      'chunked',
      '-1',
      '99999999999',
      'application/json',
      '100-continue',
    ),
    fc.constantFrom('websocket', 'Upgrade', '[::1', 'localhost:99999', 'x'.repeat(20_000)),
    fc.string(),
  ),
)
const body = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '{"id":"throws","deed":"x"}',
    '{"id":',
    '[[[[',
    'null',
    '0\r\n\r\n',
    'ffffffff\r\n',
    'x'.repeat(5000),
  ),
)
const version = fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', 'HTTP/2.0', '')

/** Whole ones, and ones that end in the middle. */
const request = fc
  .tuple(
    method,
    target,
    version,
    fc.array(header, { maxLength: 4 }),
    fc.boolean(),
    body,
    fc.option(fc.nat(200)),
  )
  .map(([verb, where, how, headers, hasHost, rest, cut]) => {
    const given: readonly (readonly [string, string])[] = hasHost
      ? [['host', 'localhost'], ...headers]
      : headers
    const lines = given.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return `${verb} ${where} ${how}\r\n${lines}\r\n${rest}`.slice(0, cut ?? undefined)
  })
const anything = fc.oneof(
  { weight: 8, arbitrary: request },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
)

// One request after the other at a server, the servers side by side: each waits for time-outs of its own.
describe.concurrent.each(Object.entries(SERVERS))('%s', (name, start) => {
  let served: Served
  beforeAll(async () => {
    served = await start()
  })
  afterAll(() => served.close())

  describe.sequential('in turn', () => {
    test.each(TARGETS)('answers %s, and goes on', async (where) => {
      const answer = await answerTo(served, requestOf(where))
      expect(statusOf(answer)).toBeGreaterThanOrEqual(200)
      expect(statusOf(await answerTo(served, served.good))).toBe(200)
    })

    test('goes on, whatever is asked, and lets no stranger read', async () => {
      const check = fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 8 }), async (several) => {
        const answers = await Promise.all(several.map((each) => answerTo(served, each)))
        for (const [i, answer] of answers.entries()) {
          expect(answer === '' || statusOf(answer) > 0).toBe(true)
          const isOpen = name !== 'the page with a token' || get(several, i).includes('/assets/a.js')
          if (!isOpen) expect(answer).not.toMatch(/^HTTP\/1\.1 200 /m)
        }
        expect(statusOf(await answerTo(served, served.good))).toBe(200)
      })
      await fc.assert(check, { numRuns: extent(40, 150) })
    }, 240_000)

    test('does not wait for ever for the rest', async () => {
      const order = { method: 'POST', 'content-type': 'application/json', 'content-length': '99' }
      const halves = ['', 'GET / HT', 'GET / HTTP/1.1\r\nhost: local', requestOf('/act', order)]
      for (const answer of await Promise.all(halves.map((bytes) => answerTo(served, bytes, false)))) {
        expect(answer === '' || statusOf(answer) >= 400).toBe(true)
      }
    })

    test('is under no name but its own: a name may be made to point here by anybody', async () => {
      const at = (host: string) => served.good.replace('localhost', host)
      for (const host of [
        'evil.example',
        'localhost.evil.example',
        'localhost:1:2',
        '',
        '[::1',
        '127.0.0.1.evil',
      ]) {
        expect([host, statusOf(await answerTo(served, at(host)))]).toEqual([host, 403])
      }
      for (const host of ['localhost', 'LOCALHOST:80', '127.0.0.1:1', '[::1]:80', '10.1.2.3']) {
        expect([host, statusOf(await answerTo(served, at(host)))]).toEqual([host, 200])
      }
    })

    test('answers no page of another origin', async () => {
      const from = (origin: string) => served.good.replace('\r\n\r\n', `\r\norigin: ${origin}\r\n\r\n`)
      for (const origin of [
        'http://evil.example',
        'null',
        'http://localhost:81',
        'localhost',
        '//localhost',
      ]) {
        expect([origin, statusOf(await answerTo(served, from(origin)))]).toEqual([origin, 403])
      }
      expect(statusOf(await answerTo(served, from('http://localhost')))).toBe(200)
    })

    test('says to browsers how little its answers may do', async () => {
      for (const where of [served.good, requestOf('/nothing')]) {
        const answer = (await answerTo(served, where)).toLowerCase()
        expect(answer).toMatch(/content-security-policy: default-src 'none';.*frame-ancestors 'none'/)
        expect(answer).toContain('\r\nreferrer-policy: no-referrer\r\n')
        expect(answer).toContain('\r\nx-content-type-options: nosniff\r\n')
        expect(answer).toContain('\r\ncross-origin-resource-policy: same-origin\r\n')
      }
    })
  })
})

test('an order that is too long is refused with an answer', async () => {
  const served = await page(null)
  const body = JSON.stringify({ id: 'x'.repeat(100_000), deed: 'kill' })
  const answer = await answerTo(
    served,
    requestOf('/act', { method: 'POST', 'content-type': 'application/json', body }),
  )
  expect(statusOf(answer)).toBe(413)
  await served.close()
})

test('what somebody does not read is not kept for them', async () => {
  let told = 0
  const filler = 'x'.repeat(4 * 2 ** 20)
  const served = await servePage({
    address: loopback,
    view: () => {
      told += 1
      return { title: `number ${told}.${filler}` } as LiveView
    },
    act: null,
    recordingOf: () => [],
    folder,
  })
  let heard = ''
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1', () =>
    socket.write(requestOf('/live')),
  )
  socket.setEncoding('latin1').on('data', (piece: string) => (heard += piece.replaceAll('x', '')))
  socket.pause()
  await vi.waitUntil(() => told >= 12, { timeout: 30_000 })
  socket.resume()
  await vi.waitUntil(() => Number(/number (\d+)\.[^.]*$/.exec(heard)?.[1]) > 12, { timeout: 30_000 })
  // What the kernel took, and what is told now; all the others would be 48 MiB of ours.
  expect(heard.match(/number/g)?.length).toBeLessThan(9)
  socket.destroy()
  await served.close()
})

describe('what fails inside', () => {
  test.each([
    ['a recording', requestOf('/recording?name=throws')],
    [
      'an order',
      requestOf('/act', {
        method: 'POST',
        'content-type': 'application/json',
        body: '{"id":"throws","deed":"kill"}',
      }),
    ],
  ])('%s is an answer, not an end', async (_, bytes) => {
    const served = await page(null)
    const answer = await answerTo(served, bytes)
    expect(statusOf(answer)).toBe(500)
    expect(answer).not.toContain('.ts:')
    expect(statusOf(await answerTo(served, served.good))).toBe(200)
    await served.close()
  })
})

afterAll(() => rmSync(folder, { recursive: true }))

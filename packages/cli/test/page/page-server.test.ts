import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import type { LiveView } from '@turnwise/lab/live/live-view'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { makeAuthority, makeCertificate } from '../../src/keys/authority.ts'
import { type Page, type PageOptions, servePage } from '../../src/page/page-server.ts'

const view: LiveView = {
  title: 'a test',
  algorithm: 'raymond',
  lease: 1000,
  view: { epoch: 3, members: ['a'] },
  place: null,
  nodes: [],
  locks: [],
  locksAge: 0,
  more: 0,
  circles: [],
  figuresOf: null,
  turnsPerSecond: 1,
  messagesPerSecond: null,
  happenings: [],
  recorded: [],
}

let page: Page
afterEach(() => page?.close())

const folder = mkdtempSync(join(tmpdir(), 'turnwise-page-'))
writeFileSync(join(folder, 'index.html'), '<!doctype html>')
afterAll(() => rmSync(folder, { recursive: true }))

async function served(options: Partial<PageOptions> = {}): Promise<URL> {
  page = await servePage({
    address: { host: '127.0.0.1', port: 0 },
    view: () => view,
    act: null,
    recordingOf: () => [],
    folder,
    ...options,
  })
  return new URL(page.url)
}

/** As a client that says what it likes; `fetch` says the truth about its host. */
function asked(url: URL, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

const post = (url: URL, body: string, type = 'application/json') =>
  fetch(new URL('/act', url), { method: 'POST', body, headers: { 'content-type': type } })

describe('visitors', () => {
  test('gets the page', async () => {
    const answer = await fetch(await served())
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(await answer.text()).toContain('<!doctype html>')
  })

  test('hears how the mesh stands, again and again', async () => {
    const { body } = await fetch(new URL('/live', await served()))
    if (body === null) throw new Error('nothing is told')
    let heard = ''
    const decoder = new TextDecoder()
    for await (const part of body) {
      heard += decoder.decode(part)
      if (heard.split('data: ').length > 2) break
    }
    expect(JSON.parse(/data: (.*)/.exec(heard)?.[1] ?? '')).toEqual(view)
  })

  test.each(['/nothing', '/../package.json', '/%2e%2e/%2e%2e/package.json', '/assets/../../package.json'])(
    'finds nothing at %s',
    async (path) => {
      expect((await fetch(new URL(path, await served()))).status).toBe(404)
    },
  )

  test('under a name that only points here is not answered: that may be the page of somebody else', async () => {
    const url = await served()
    expect(await asked(url, 'example.org')).toBe(403)
    expect(await asked(url, 'localhost:80')).toBe(200)
  })
})

describe('a recording', () => {
  const asked = (url: URL, name: string) => fetch(new URL(`/recording?name=${name}`, url))

  test('is told as far as whole lines are written', async () => {
    const files = ['a', 'b', 'c'].map((id) => join(folder, `orders.${id}.trace`))
    writeFileSync(get(files, 0), '{"one":1}\n{"two":2}\n')
    writeFileSync(get(files, 1), '{"one":1}\n{"tw')
    writeFileSync(get(files, 2), '')
    const url = await served({ recordingOf: (name) => (name === 'orders' ? files : []) })
    expect(await (await asked(url, 'orders')).json()).toEqual(['{"one":1}\n{"two":2}\n', '{"one":1}\n'])
    const other = await asked(url, 'invoices')
    expect([other.status, await other.text()]).toEqual([404, '"invoices" is not recorded\n'])
  })

  test('that is too long for a page is refused, with what can show it', async () => {
    const file = join(folder, 'long.trace')
    writeFileSync(file, `${'x'.repeat(7 * 2 ** 20)}\n`)
    const answer = await asked(await served({ recordingOf: () => [file] }), 'long')
    expect([answer.status, await answer.text()]).toEqual([
      413,
      `the recording has 8 MiB, and a page shows 6: turnwise replay --from … ${file}\n`,
    ])
  })

  test('that is gone is said to be', async () => {
    const answer = await asked(await served({ recordingOf: () => [join(folder, 'none')] }), 'orders')
    expect([answer.status, await answer.text()]).toEqual([
      500,
      'the recording of "orders" cannot be read: no such file or directory\n',
    ])
  })
})

describe('faults', () => {
  test('are refused unless they were allowed', async () => {
    const answer = await post(await served(), '{"id":"a","deed":"kill"}')
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('--allow-faults')
  })

  test('are done, or it is said why not', async () => {
    const done: string[] = []
    const url = await served({
      act: (id, deed) => {
        done.push(`${deed} ${id}`)
        return id === 'a' ? null : 'there is no such node'
      },
    })
    expect((await post(url, '{"id":"a","deed":"kill"}')).status).toBe(200)
    const refused = await post(url, '{"id":"z","deed":"kill"}')
    expect([refused.status, await refused.text()]).toEqual([409, 'there is no such node\n'])
    expect(done).toEqual(['kill a', 'kill z'])
  })

  test.each([
    ['not JSON', 'application/json', 400],
    ['{"id":7}', 'application/json', 400],
    ['null', 'application/json', 400],
    // What a page of another origin can send without asking.
    ['{"id":"a","deed":"kill"}', 'text/plain', 415],
  ])('%s as %s is no order', async (body, type, status) => {
    const url = await served({ act: () => null })
    expect((await post(url, body, type)).status).toBe(status)
  })
})

describe('beyond this machine', () => {
  test('a token is needed, and the address has it', async () => {
    const url = await served({ address: { host: '0.0.0.0', port: 0 } })
    url.hostname = '127.0.0.1'
    expect((await fetch(url)).status).toBe(200)
    expect((await fetch(new URL('/', url))).status).toBe(403)
    expect((await fetch(new URL('/live?token=0000', url))).status).toBe(403)
  })
})

test('a token that is given is asked for on this machine too, and the bare address lacks it', async () => {
  const url = await served({ token: 'abcdefgh-12345678' })
  expect(url.search).toBe('?token=abcdefgh-12345678')
  expect(page.bareUrl).toBe(`http://127.0.0.1:${url.port}/#/live`)
  expect((await fetch(page.bareUrl)).status).toBe(403)
  expect((await fetch(url)).status).toBe(200)
})

test('with a certificate it is served by TLS, and under a name that was given', async () => {
  const span = { from: new Date(Date.now() - 86_400_000), until: new Date(Date.now() + 86_400_000) }
  const authority = await makeAuthority('test', span)
  const tls = await makeCertificate(authority, 'test', 'a', span)
  const url = await served({ tls, hosts: ['node-a.example'] })
  expect(url.protocol).toBe('https:')
  const status = (host: string) =>
    new Promise((resolve, reject) => {
      const options = { ca: authority.cert, checkServerIdentity: () => undefined, headers: { host } }
      tlsRequest(url, options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
  expect(await status('node-a.example:8080')).toBe(200)
  expect(await status('node-b.example:8080')).toBe(403)
})

test('with a certificate, too, a connection on which nothing is said is closed soon', async () => {
  const span = { from: new Date(Date.now() - 86_400_000), until: new Date(Date.now() + 86_400_000) }
  const tls = await makeCertificate(await makeAuthority('test', span), 'test', 'a', span)
  const { port } = await served({ tls })
  const socket = connect(Number(port), '127.0.0.1')
  // Long before the two minutes that Node gives a TLS handshake.
  await once(socket.resume(), 'close', { signal: AbortSignal.timeout(60_000) })
})

test('a port that is taken is named', async () => {
  const { port } = await served()
  await expect(served({ address: { host: '127.0.0.1', port: Number(port) } })).rejects.toThrow(
    `page: cannot listen on 127.0.0.1:${port}`,
  )
})

test('a page that is not built is named as such', async () => {
  await expect(served({ folder: join(folder, 'nothing') })).rejects.toThrow('page: not built')
})

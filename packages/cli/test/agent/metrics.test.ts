import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { get } from '@turnwise/core/bounds'
import { join } from '@turnwise/mesh/join'
import { METRICS } from '@turnwise/mesh/observe/metrics'
import type { Mesh } from '@turnwise/mesh/surface'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { loggerTo } from '../../src/agent/log.ts'
import { serveMetrics } from '../../src/agent/metrics-server.ts'
import { prometheusName, registryOf } from '../../src/agent/prometheus.ts'
import { Workplace } from './processes.ts'

const place = new Workplace()
afterAll(() => place.clear())

/** Of each metric its type, and of each sample its value. */
function parsed(text: string): { types: Map<string, string>; values: Map<string, number> } {
  const types = new Map<string, string>()
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (name !== undefined) types.set(name, type)
    else if (line !== '' && !line.startsWith('#')) {
      const at = line.lastIndexOf(' ')
      values.set(line.slice(0, at), Number(line.slice(at + 1)))
    }
  }
  return { types, values }
}

describe('what Prometheus reads', () => {
  let mesh: Mesh
  beforeAll(async () => {
    mesh = await join()
  })
  afterAll(() => mesh.leave())

  test('is what the node has counted', async () => {
    for (const name of ['orders:1', 'orders:2', 'quote"s\n']) (await mesh.locks.acquire(name)).release()
    const held = await mesh.locks.acquire('orders:3')
    const { types, values } = parsed(await registryOf('a', () => mesh.metrics()).metrics())
    expect([...types.keys()]).toEqual(['turnwise_joined', ...METRICS.map((metric) => prometheusName(metric))])
    const orders = 'kind="lock",prefix="orders"'
    expect(values.get(`turnwise_turns_total{${orders},node="a"}`)).toBe(3)
    expect(values.get(`turnwise_held{${orders},node="a"}`)).toBe(1)
    expect(values.get(`turnwise_wait_seconds_bucket{${orders},le="0.00001",node="a"}`)).toBe(3)
    expect(values.get(`turnwise_hold_seconds_bucket{${orders},le="+Inf",node="a"}`)).toBe(2)
    expect(values.get(`turnwise_hold_seconds_count{${orders},node="a"}`)).toBe(2)
    expect(values.get('turnwise_turns_total{kind="lock",prefix="quote\\"s\\n",node="a"}')).toBe(1)
    expect(values.get('turnwise_view_members{node="a"}')).toBe(1)
    expect(values.get('turnwise_joined{node="a"}')).toBe(1)
    held.release()
  })

  test('has buckets that rise to the count', async () => {
    const { values } = parsed(await registryOf('a', () => mesh.metrics()).metrics())
    const buckets = [...values].filter(([name]) => name.startsWith('turnwise_lease_margin_seconds_bucket'))
    expect(buckets).toHaveLength(16)
    expect(buckets.every(([, value], i) => i === 0 || value >= get(buckets, i - 1)[1])).toBe(true)
    expect(buckets.at(-1)?.[1]).toBe(values.get('turnwise_lease_margin_seconds_count{node="a"}'))
  })

  test('is nothing but zeros before it has joined', async () => {
    const { values } = parsed(await registryOf('a', () => null).metrics())
    expect(values.get('turnwise_joined{node="a"}')).toBe(0)
    expect(new Set(values.values())).toEqual(new Set([0]))
  })

  test('can be read as data too', async () => {
    const all = await registryOf('a', () => mesh.metrics()).getMetricsAsJSON()
    expect(all.map(({ name }) => name)).toContain('turnwise_wait_seconds')
  })

  test('is told in docs/observe.md, each metric with its type, labels and sentence', () => {
    const document = readFileSync(new URL('../../../../docs/observe.md', import.meta.url), 'utf8')
    const rows = document.split('\n').filter((line) => line.startsWith('| `turnwise_'))
    expect(rows).toEqual([
      '| `turnwise_joined` | gauge |  | Whether the node is a member: 0 while it still joins. |',
      ...METRICS.map((metric) => {
        const labels = metric.labels.map((label) => `\`${label}\``).join(', ')
        return `| \`${prometheusName(metric)}\` | ${metric.type} | ${labels} | ${metric.help} |`
      }),
    ])
  })
})

describe('over HTTP', () => {
  const registry = registryOf('a', () => null)

  function ask(port: number, path: string, method = 'GET'): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', path, method }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (piece: string) => (body += piece))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      })
      asked.on('error', reject)
      asked.end()
    })
  }

  test('one page, to read and nothing else', async () => {
    const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, registry)
    const { port } = server.address
    const page = await ask(port, '/metrics?x=1')
    expect(page.status).toBe(200)
    expect(page.body).toContain('turnwise_joined{node="a"} 0')
    expect(await ask(port, '/metrics', 'HEAD')).toEqual({ status: 200, body: '' })
    expect(await ask(port, '//')).toEqual({ status: 404, body: 'not found: the only page is /metrics\n' })
    expect(await ask(port, '/metrics', 'DELETE')).toEqual({
      status: 405,
      body: 'this page is read-only: GET or HEAD\n',
    })
    await server.close()
    await expect(ask(port, '/metrics')).rejects.toThrow()
  })

  test('a port that is taken', async () => {
    const other = createServer()
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as AddressInfo).port))
    })
    await expect(serveMetrics({ host: '127.0.0.1', port }, registry)).rejects.toThrow(
      `metrics: cannot listen on 127.0.0.1:${port}: address already in use`,
    )
    const daemon = place.start(
      'node',
      '--config',
      place.write('taken.json', { stateDir: 't', metrics: { listen: `127.0.0.1:${port}` } }),
    )
    expect(await daemon.code).toBe(1)
    expect(daemon.err).toContain(`cannot join: metrics: cannot listen on 127.0.0.1:${port}`)
    other.close()
  })
})

test('a daemon serves its metrics by its socket and by HTTP, and logs JSON where there is no terminal', async () => {
  const config = place.write('d.json', { stateDir: 'd', metrics: { listen: '127.0.0.1:0' } })
  const daemon = place.start('node', '--config', config)
  await daemon.says(/"event":"joined"/)
  const lock = await place.run(
    'lock',
    'jobs:nightly',
    '--socket',
    place.path('d/control/socket'),
    '--',
    'true',
  )
  expect(lock.code).toBe(0)
  const { out, code } = await place.run('metrics', '--config', config)
  expect(code).toBe(0)
  expect(out).toContain('turnwise_turns_total{kind="lock",prefix="jobs",node="alone"} 1\n')
  const [url] = await daemon.says(/http:[^"]+/)
  const page = await (await fetch(url)).text()
  expect([...parsed(page).types]).toEqual([...parsed(out).types])
  daemon.kill('SIGTERM')
  expect(await daemon.code).toBe(0)
  const lines = daemon.err.trim().split('\n')
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const entry of entries) {
    expect(entry).toMatchObject({ level: expect.stringMatching(/^(info|warn)$/) as string, node: 'alone' })
    expect(entry).toHaveProperty('epoch')
    expect(new Date(String(entry['time'])).toISOString()).toBe(entry['time'])
  }
  const events = entries.map(({ event }) => event)
  expect(events).toEqual(
    expect.arrayContaining(['control socket open', 'metrics served', 'view', 'joined', 'leaving', 'left']),
  )
})

test('--log-level counts before the file', LONG, async () => {
  const config = place.write('q.json', { stateDir: 'q', logLevel: 'debug' })
  const daemon = place.start('node', '--config', config, '--log-level', 'error')
  const asked = Date.now()
  let code = 75
  while (code === 75 && Date.now() - asked < 30_000) {
    code = (await place.run('status', '--config', config)).code
  }
  expect(code).toBe(0)
  daemon.kill('SIGTERM')
  expect(await daemon.code).toBe(0)
  expect(daemon.err).toBe('')
})

test('at a terminal lines are words, and one line each', () => {
  const lines: string[] = []
  const logger = loggerTo((line) => void lines.push(line), 'text', 'info')
  logger.info({ node: 'a', epoch: 3, members: ['a', 'b c'] }, 'view')
  logger.warn({ node: 'a', epoch: null, reason: 'two\nlines', ok: true }, 'peer refused')
  logger.error({}, 'disk failed')
  logger.debug({}, 'not worth a line')
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'view epoch=3 members=a,"b c"',
    'warning: peer refused epoch=null reason="two\\nlines" ok=true',
    'error: disk failed',
  ])
})

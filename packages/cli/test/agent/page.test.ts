/** The page of a daemon: three real ones, and what one of them shows while another is killed. */
import { get } from '@turnwise/core/bounds'
import { DEADLINE_MS, type Program } from '@turnwise/fleet/program'
import type { LiveView } from '@turnwise/lab/live/live-view'
import { afterAll, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { Trio, Workplace } from './processes.ts'

const place = new Workplace()
afterAll(() => place.clear())

const pageOf = async (daemon: Program) => new URL(get(await daemon.says(/"at":"(http:[^"]+#\/live)"/), 1))

/** Looks until it is as wanted. */
async function shown(page: URL, isSo: (view: LiveView) => boolean): Promise<LiveView> {
  const { body } = await fetch(new URL('/live', page), { signal: AbortSignal.timeout(DEADLINE_MS) })
  if (body === null) throw new Error('nothing is told')
  const decoder = new TextDecoder()
  let heard = ''
  let last = ''
  try {
    for await (const part of body) {
      const lines = (heard + decoder.decode(part, { stream: true })).split('\n')
      heard = lines.pop() ?? ''
      for (const line of lines.filter((each) => each.startsWith('data: '))) {
        last = line.slice('data: '.length)
        const view = JSON.parse(last) as LiveView
        if (isSo(view)) return view
      }
    }
  } catch (error) {
    throw new Error(`it was not as wanted; at last it was ${last}`, { cause: error })
  }
  throw new Error(`it ended; at last it was ${last}`)
}

test('members, holder and waiters; one that is killed goes', LONG, async () => {
  const trio = await Trio.start(place, { page: { listen: '127.0.0.1:0' } })
  const page = await pageOf(trio.daemon('a'))
  expect((await fetch(page)).status).toBe(200)
  expect((await fetch(new URL('/act', page), { method: 'POST' })).status).toBe(403)

  const holder = trio.lock('b', 'orders', 'echo inside; cat')
  await holder.says(/inside/)
  trio.lock('c', 'orders', 'cat')
  const busy = await shown(page, ({ locks }) => locks.some(({ waiting }) => waiting === 1))
  expect(busy.title).toBe('node a')
  expect(busy.algorithm).toBe('token-queue')
  expect(busy.view?.members.toSorted()).toEqual(['a', 'b', 'c'])
  expect(busy.nodes.map(({ id, state }) => [id, state])).toEqual([
    ['a', 'in view'],
    ['b', 'in view'],
    ['c', 'in view'],
  ])
  expect(busy.locks).toMatchObject([{ name: 'orders', holders: ['b'], waiters: ['c'] }])
  expect(busy.locks[0]?.fence).toMatch(/^\d+$/)

  trio.daemon('b').kill('SIGKILL')
  const after = await shown(
    page,
    ({ view, locks }) =>
      view?.members.includes('b') === false && locks.some(({ holders }) => holders[0] === 'c'),
  )
  expect(after.nodes.find(({ id }) => id === 'b')).toMatchObject({ state: 'missing', isIn: false })
  expect(after.happenings.map(({ text }) => text).join('\n')).toMatch(/view epoch=\d+ members=a,c /)
  expect(BigInt(get(after.locks, 0).fence ?? 0)).toBeGreaterThan(BigInt(get(busy.locks, 0).fence ?? 0))
})

test('--page counts before the file, whose token is asked for and not logged', async () => {
  const token = 'abcdefgh-12345678'
  const config = place.write('t.json', { stateDir: 't', page: { listen: '127.0.0.1:1', token } })
  const daemon = place.start('node', '--config', config, '--page')
  const page = await pageOf(daemon)
  await daemon.says(/"event":"joined"/)
  expect(page.port).not.toBe('1')
  expect((await fetch(page)).status).toBe(403)
  page.searchParams.set('token', token)
  expect((await fetch(page)).status).toBe(200)
  daemon.kill('SIGTERM')
  expect(await daemon.code).toBe(0)
  expect(daemon.err).toContain('"event":"page served"')
  expect(daemon.err).not.toContain(token)
})

test('a page that cannot be served is named, and the daemon ends', async () => {
  const first = place.start('node', '--config', place.write('one.json', { stateDir: 'one' }), '--page')
  const { host } = await pageOf(first)
  const second = place.start('node', '--config', place.write('two.json', { stateDir: 'two' }), '--page', host)
  expect(await second.code).toBe(1)
  expect(second.err).toContain(`cannot join: page: cannot listen on ${host}: address already in use`)
})

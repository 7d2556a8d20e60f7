import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { joinNode } from '../../src/join.ts'
import { BUCKETS, countIn, Histogram } from '../../src/observe/histogram.ts'
import { Meters, MOST_PREFIXES, OTHER, prefixOf } from '../../src/observe/meters.ts'
import { METRICS } from '../../src/observe/metrics.ts'
import { electionKey, lockKey, semaphoreKey } from '../../src/protocol/names.ts'
import { meshes, STEADY } from '../meshes.ts'
import { hold, reasonOf } from '../web-locks/worlds.ts'

test('a duration is in the first bucket whose end it does not exceed, and what is too long in one more', () => {
  const histogram = new Histogram()
  for (const seconds of BUCKETS) histogram.record(seconds * 1000)
  histogram.record(0)
  histogram.record(0.0101)
  histogram.record(3_600_000)
  const { counts, sum } = histogram.read()
  expect(counts).toEqual([2, 2, ...BUCKETS.slice(2).map(() => 1), 1])
  expect(sum).toBeCloseTo(BUCKETS.reduce((total, each) => total + each, 0) + 3600, 4)
})

describe('prefixes', () => {
  test('end at the first ":" or "/"', () => {
    expect(['orders:17/4', 'a/b:c', 'plain', '', ':x'].map(prefixOf)).toEqual([
      'orders',
      'a',
      'plain',
      '',
      '',
    ])
  })

  test('are those of the names that users gave, and locks, semaphores and elections are told apart', () => {
    const meters = new Meters()
    const keys = [
      lockKey('pool:1'),
      lockKey('pool:2'),
      semaphoreKey('pool:1', 4, 'raymond-k'),
      electionKey('pool'),
      lockKey('\u{D800}:1'),
    ]
    for (const key of keys) meters.of(key).wait.record(0)
    expect(meters.all.map(({ kind, prefix, wait }) => [kind, prefix, countIn(wait.read())])).toEqual([
      ['lock', 'pool', 2],
      ['semaphore', 'pool', 1],
      ['election', 'pool', 1],
      ['lock', '\u{D800}', 1],
    ])
  })

  test('beyond the first so many are one', () => {
    const meters = new Meters()
    for (let i = 0; i < MOST_PREFIXES + 10; i += 1) meters.of(lockKey(`order-${i}`)).wait.record(0)
    meters.of(electionKey('late')).wait.record(0)
    expect(meters.all).toHaveLength(MOST_PREFIXES + 2)
    const others = meters.all.filter(({ prefix }) => prefix === OTHER)
    expect(others.map(({ kind, wait }) => [kind, countIn(wait.read())])).toEqual([
      ['lock', 10],
      ['election', 1],
    ])
    expect(meters.of(lockKey('order-3')).prefix).toBe('order-3')
  })
})

describe('a mesh counts', () => {
  test('turns, and how long they waited and lasted', async () => {
    const mesh = await joinNode()
    const first = await mesh.locks.acquire('orders:1')
    const second = mesh.locks.acquire('orders:1')
    const other = await mesh.locks.acquire('orders:2')
    expect(mesh.metrics().prefixes).toMatchObject([{ prefix: 'orders', turns: 2, held: 2, waiting: 1 }])
    const before = performance.now()
    await mesh.pause()
    first.release()
    const held = await second
    const waited = performance.now() - before
    held.release()
    other.release()
    const { turns, wait, hold, held: inside, waiting } = get(mesh.metrics().prefixes, 0)
    expect([turns, countIn(wait), countIn(hold), inside, waiting]).toEqual([3, 3, 3, 0, 0])
    // Those who were let in at once waited for nothing.
    expect(wait.counts[0]).toBe(2)
    expect(wait.sum * 1000).toBeGreaterThan(waited / 2)
    await mesh.leave()
  })

  test('requests that failed, by reason, and locks that were lost', async () => {
    const mesh = await joinNode()
    const lock = hold(mesh.locks, 'x')
    await lock.entered
    const abort = new AbortController()
    const aborted = reasonOf(mesh.locks.acquire('x', { signal: abort.signal }))
    abort.abort()
    await aborted
    await reasonOf(mesh.locks.acquire('x', { timeout: 0 }))
    expect(await mesh.locks.acquire('x', { ifAvailable: true })).toBeNull()
    const thief = await mesh.locks.acquire('x', { steal: true })
    await reasonOf(lock.settled)
    thief.release()
    const waits = mesh.locks.acquire('x')
    ;(await waits).release()
    const last = await mesh.locks.acquire('x')
    const left = reasonOf(mesh.locks.acquire('x'))
    await mesh.leave()
    await left
    expect(last.isHeld).toBe(false)
    expect(mesh.metrics().prefixes).toMatchObject([
      {
        failures: { timeout: 1, aborted: 1, 'no-quorum': 0, deadlock: 0, unavailable: 1, left: 1 },
        losses: { lapsed: 0, stolen: 1 },
        turns: 4,
        held: 0,
        waiting: 0,
      },
    ])
  })

  test('messages, views and what was left of its lease', async () => {
    const [a, b, c] = await meshes(3)
    ;(await a.locks.acquire('x')).release()
    ;(await b.locks.acquire('x')).release()
    while (countIn(b.metrics().leaseMargin) < 3) await b.pause()
    const { views, leaseMargin, leaseLosses, status } = b.metrics()
    expect(views).toBeGreaterThanOrEqual(1)
    expect(status.sent).toBeGreaterThan(0)
    // Nothing is left beyond a lease, and what was lost was not renewed.
    expect(leaseMargin.sum).toBeLessThanOrEqual((STEADY / 1000) * countIn(leaseMargin))
    expect(leaseLosses).toBeGreaterThanOrEqual(0)
    await Promise.all([a, b, c].map((mesh) => mesh.leave()))
  })
})

test('every metric has a name of its own, a sentence, and the labels that it says', async () => {
  const mesh = await joinNode()
  ;(await mesh.locks.acquire('x')).release()
  const metrics = mesh.metrics()
  await mesh.leave()
  expect(new Set(METRICS.map(({ name }) => name.join('_'))).size).toBe(METRICS.length)
  for (const { name, help, labels, read } of METRICS) {
    expect(help, name.join(' ')).toMatch(/^[A-Z].*\.$/)
    const samples = read(metrics)
    expect(samples.length, name.join(' ')).toBeGreaterThan(0)
    for (const sample of samples) expect(Object.keys(sample.labels)).toEqual(labels)
  }
})

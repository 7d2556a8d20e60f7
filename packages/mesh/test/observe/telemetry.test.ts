import { fileURLToPath } from 'node:url'
import * as api from '@opentelemetry/api'
import { type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { get } from '@turnwise/core/bounds'
import { Program } from '@turnwise/fleet/program'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type JoinOptions, joinNode } from '../../src/join.ts'
import { BUCKETS, countIn } from '../../src/observe/histogram.ts'
import { METRICS } from '../../src/observe/metrics.ts'
import { loadApi } from '../../src/observe/telemetry.ts'
import { hold, reasonOf } from '../web-locks/worlds.ts'

/** What is active within `with`, and not after it: enough for a parent of what begins at once. */
class OneContext implements ContextManager {
  #active: Context = ROOT_CONTEXT

  active(): Context {
    return this.#active
  }

  with<Args extends unknown[], Act extends (...args: Args) => ReturnType<Act>>(
    context: Context,
    act: Act,
    self?: ThisParameterType<Act>,
    ...args: Args
  ): ReturnType<Act> {
    const before = this.#active
    this.#active = context
    try {
      return act.apply(self, args)
    } finally {
      this.#active = before
    }
  }

  bind<Target>(_: Context, target: Target): Target {
    return target
  }

  enable(): this {
    return this
  }

  disable(): this {
    return this
  }
}

const spans = new InMemorySpanExporter()
const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 3_600_000 })
const meterProvider = new MeterProvider({ readers: [reader] })

beforeAll(() => {
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  api.trace.setGlobalTracerProvider(tracerProvider)
  api.metrics.setGlobalMeterProvider(meterProvider)
  api.context.setGlobalContextManager(new OneContext())
})

afterAll(async () => {
  await meterProvider.shutdown()
  api.trace.disable()
  api.metrics.disable()
  api.context.disable()
})

beforeEach(() => {
  spans.reset()
  figures.reset()
})

function told(span: ReadableSpan) {
  return { name: span.name, status: span.status.code, ...span.attributes }
}

const ABOUT = {
  'turnwise.node': 'alone',
  'turnwise.lock.mode': 'exclusive',
  'turnwise.lock.algorithm': 'token-queue',
}

describe('spans', () => {
  test('for the wait and for the hold, both within what the program was doing', async () => {
    const mesh = await joinNode({ telemetry: 'auto' })
    const parent = api.trace.getTracer('program').startSpan('billing')
    const within = api.trace.setSpan(api.context.active(), parent)
    const lock = await api.context.with(within, () => mesh.locks.acquire('orders:1'))
    const next = api.context.with(within, () => mesh.locks.acquire('orders:1', { mode: 'shared' }))
    lock.release()
    const second = await next
    second.release()
    parent.end()
    await mesh.leave()
    const about = { ...ABOUT, 'turnwise.lock.name': 'orders:1', status: 0 }
    const first = { ...about, 'turnwise.lock.fence': String(lock.fence) }
    const other = { ...about, 'turnwise.lock.mode': 'shared', 'turnwise.lock.fence': String(second.fence) }
    const all = spans.getFinishedSpans()
    expect(all.map(told)).toEqual([
      { ...first, name: 'turnwise.lock.wait' },
      { ...first, name: 'turnwise.lock.hold' },
      { ...other, name: 'turnwise.lock.wait' },
      { ...other, name: 'turnwise.lock.hold' },
      { name: 'billing', status: 0 },
    ])
    const { spanId, traceId } = parent.spanContext()
    for (const span of all.slice(0, 4)) {
      expect(span.parentSpanContext?.spanId).toBe(spanId)
      expect(span.spanContext().traceId).toBe(traceId)
    }
  })

  test('tell how it ended, and which ends are errors', async () => {
    const mesh = await joinNode({ telemetry: 'auto' })
    const victim = hold(mesh.locks, 'x')
    await victim.entered
    await reasonOf(mesh.locks.acquire('x', { timeout: 0 }))
    const abort = new AbortController()
    const aborted = reasonOf(mesh.locks.acquire('x', { signal: abort.signal }))
    abort.abort()
    await aborted
    await mesh.locks.acquire('x', { steal: true })
    await reasonOf(victim.settled)
    const left = reasonOf(mesh.locks.acquire('x'))
    await mesh.leave()
    await left
    const ends = spans
      .getFinishedSpans()
      .map(({ name, status, attributes }) => [
        name.replace('turnwise.lock.', ''),
        status.code === api.SpanStatusCode.ERROR,
        attributes['turnwise.lock.failure'] ?? attributes['turnwise.lock.loss'] ?? null,
      ])
    expect(ends).toEqual([
      ['wait', false, null],
      ['wait', true, 'timeout'],
      ['wait', false, 'aborted'],
      ['hold', true, 'stolen'],
      ['wait', false, null],
      ['wait', true, 'left'],
      ['hold', true, 'left'],
    ])
  })

  test('name the algorithm that serves a semaphore', async () => {
    const mesh = await joinNode({ telemetry: 'auto' })
    ;(await mesh.semaphore('pool', 2).acquire()).release()
    await mesh.leave()
    expect(spans.getFinishedSpans()[0]?.attributes).toMatchObject({
      'turnwise.lock.name': 'pool',
      'turnwise.lock.algorithm': 'srimani-reddy',
    })
  })
})

test('metrics are those of the list, read when they are exported', async () => {
  const mesh = await joinNode({ telemetry: 'auto' })
  ;(await mesh.locks.acquire('figures:1')).release()
  while (countIn(mesh.metrics().leaseMargin) === 0) await mesh.pause()
  const held = await mesh.locks.acquire('figures:2')
  await reader.forceFlush()
  const exported = figures
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((each) => each.metrics))
  const byName = new Map(exported.map((metric) => [metric.descriptor.name, metric]))
  expect([...byName.keys()].toSorted()).toEqual(
    METRICS.map(({ name }) => `turnwise.${name.join('.')}`).toSorted(),
  )
  const attributes = { node: 'alone', kind: 'lock', prefix: 'figures' }
  expect(byName.get('turnwise.turns')?.dataPoints).toMatchObject([{ attributes, value: 2 }])
  expect(byName.get('turnwise.held')?.dataPoints).toMatchObject([{ attributes, value: 1 }])
  // What is recorded one by one is there still from the tests before.
  const countOf = (name: string) =>
    byName.get(name)?.dataPoints.find((point) => point.attributes['prefix'] === 'figures')?.value
  expect(byName.get('turnwise.wait')?.descriptor.unit).toBe('s')
  expect(countOf('turnwise.wait')).toMatchObject({ count: 2, buckets: { boundaries: BUCKETS } })
  expect(countOf('turnwise.hold')).toMatchObject({ count: 1 })
  held.release()
  await mesh.leave()
  figures.reset()
  await reader.forceFlush()
  const after = get(figures.getMetrics(), 0).scopeMetrics.flatMap(({ metrics }) => metrics)
  const last = after.find(({ descriptor }) => descriptor.name === 'turnwise.held')
  // A node that has left is not read any more, or nobody would be inside.
  expect(last?.dataPoints.map(({ value }) => value)).not.toContain(0)
})

describe('where it is not wanted, or not there', () => {
  test('nothing is told without the word', async () => {
    const mesh = await joinNode()
    ;(await mesh.locks.acquire('x')).release()
    await mesh.leave()
    expect(spans.getFinishedSpans()).toEqual([])
  })

  test('another word is refused', async () => {
    await expect(joinNode({ telemetry: true } as unknown as JoinOptions)).rejects.toThrow(
      'telemetry true is not "auto" or false',
    )
  })

  test('a package that cannot be loaded is told of, and that is all', async () => {
    const why: string[] = []
    const none = await loadApi(
      (each) => void why.push(each),
      () => Promise.reject(new Error("Cannot find package '@opentelemetry/api'")),
    )
    expect([none, why]).toEqual([null, ["Cannot find package '@opentelemetry/api'"]])
  })

  test('a process without the package has its locks', async () => {
    const program = fileURLToPath(new URL('./without-telemetry.mjs', import.meta.url))
    const { out } = await new Program([program]).ended
    expect(JSON.parse(out)).toEqual({
      auto: { turns: 1, told: ['not-installed'], asked: true },
      none: { turns: 1, told: [], asked: false },
    })
  })
})

/**
 * OpenTelemetry, through its API package only. The program decides where spans and metrics go, by the SDK that it registers.
 * Without one the API drops them.
 */
import type {
  Attributes,
  BatchObservableResult,
  Context,
  Histogram,
  Meter,
  Observable,
  Span,
  Tracer,
} from '@opentelemetry/api'
import type { Mode } from '@turnwise/core/algorithm'
import { monotonic } from '../lease/clock.ts'
import type { Loss } from '../protocol/events.ts'
import { type Fence, fenceNumber } from '../protocol/fence.ts'
import { nameOf } from '../protocol/names.ts'
import type { CallerId } from '../protocol/state.ts'
import { BUCKETS } from './histogram.ts'
import type { Failure } from './meters.ts'
import { METRICS, type Metric } from './metrics.ts'
import type { Observer, Watched } from './observer.ts'

export type Api = typeof import('@opentelemetry/api')

/** Null if the package is not installed. `told` gets the reason. */
export async function loadApi(
  told: (why: string) => void,
  load: () => Promise<Api> = installed,
): Promise<Api | null> {
  try {
    return await load()
  } catch (error) {
    told(error instanceof Error ? error.message : String(error))
    return null
  }
}

/** The caught failure tells bundlers that the package is optional. */
function installed(): Promise<Api> {
  return import('@opentelemetry/api').catch((error: unknown) => Promise.reject(error))
}

/** The spans of one caller: `span` is that of its wait, then that of its hold. */
interface Way {
  readonly key: string
  readonly mode: Mode
  /** The context of the program when it asked: the parent of both spans. */
  readonly context: Context
  span: Span
  since: number
}

const SCOPE = '@turnwise/mesh'

/** Failures that the program wanted. They are not errors. */
const NO_ERROR: readonly Failure[] = ['aborted', 'unavailable']

export class Telemetry implements Observer {
  readonly #api: Api
  readonly #watched: Watched
  readonly #tracer: Tracer
  readonly #ways = new Map<CallerId, Way>()
  readonly #histograms: Readonly<Record<'wait' | 'hold' | 'margin', Histogram>>
  readonly #stopReading: () => void

  constructor(api: Api, watched: Watched) {
    this.#api = api
    this.#watched = watched
    this.#tracer = api.trace.getTracer(SCOPE)
    const meter = api.metrics.getMeter(SCOPE)
    this.#histograms = {
      wait: histogramOf(meter, 'turnwise.wait'),
      hold: histogramOf(meter, 'turnwise.hold'),
      margin: histogramOf(meter, 'turnwise.lease.margin'),
    }
    this.#stopReading = observeAll(meter, watched)
  }

  asked(caller: CallerId, key: string, mode: Mode): void {
    const context = this.#api.context.active()
    const span = this.#tracer.startSpan('turnwise.lock.wait', { attributes: this.#about(key, mode) }, context)
    this.#ways.set(caller, { key, mode, context, span, since: monotonic() })
  }

  #about(key: string, mode: Mode): Attributes {
    return {
      'turnwise.node': this.#watched.id,
      'turnwise.lock.name': nameOf(key),
      'turnwise.lock.mode': mode,
      'turnwise.lock.algorithm': this.#watched.algorithmOf(key),
    }
  }

  granted(caller: CallerId, fence: Fence): void {
    const way = this.#ways.get(caller)
    if (way === undefined) return
    const { key, mode, context } = way
    const fenced = { 'turnwise.lock.fence': String(fenceNumber(fence)) }
    way.span.setAttributes(fenced)
    this.#leave(way, this.#histograms.wait)
    const attributes = { ...this.#about(key, mode), ...fenced }
    way.span = this.#tracer.startSpan('turnwise.lock.hold', { attributes }, context)
  }

  /** Ends a wait or a hold, and begins the next phase. */
  #leave(way: Way, histogram: Histogram): void {
    const now = monotonic()
    way.span.end()
    histogram.record((now - way.since) / 1000, this.#labels(way.key))
    way.since = now
  }

  #labels(key: string): Attributes {
    const { kind, prefix } = this.#watched.meters.of(key)
    return { node: this.#watched.id, kind, prefix }
  }

  failed(caller: CallerId, why: Failure): void {
    const way = this.#take(caller)
    if (way === undefined) return
    way.span.setAttribute('turnwise.lock.failure', why)
    if (!NO_ERROR.includes(why)) this.#isError(way.span, why)
    way.span.end()
  }

  released(caller: CallerId): void {
    const way = this.#take(caller)
    if (way !== undefined) this.#leave(way, this.#histograms.hold)
  }

  lost(caller: CallerId, why: Loss | 'left'): void {
    const way = this.#take(caller)
    if (way === undefined) return
    way.span.setAttribute('turnwise.lock.loss', why)
    this.#isError(way.span, why)
    this.#leave(way, this.#histograms.hold)
  }

  renewed(left: number): void {
    this.#histograms.margin.record(left / 1000, { node: this.#watched.id })
  }

  close(): void {
    this.#stopReading()
  }

  #take(caller: CallerId): Way | undefined {
    const way = this.#ways.get(caller)
    this.#ways.delete(caller)
    return way
  }

  #isError(span: Span, message: string): void {
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message })
  }
}

function instrumentOf({ help, unit }: Pick<Metric, 'help' | 'unit'>) {
  return { description: help, ...(unit !== null && { unit: 's' }) }
}

function nameFor({ name }: Metric): string {
  return `turnwise.${name.join('.')}`
}

/** The API has no histogram that is read on demand, so durations are recorded one by one. */
function histogramOf(meter: Meter, name: string): Histogram {
  const metric = METRICS.find((each) => nameFor(each) === name)
  if (metric === undefined) throw new Error(`unknown metric ${name}`)
  return meter.createHistogram(name, {
    ...instrumentOf(metric),
    advice: { explicitBucketBoundaries: [...BUCKETS] },
  })
}

/** Counters and gauges are read when an exporter asks, all from one reading. */
function observeAll(meter: Meter, watched: Watched): () => void {
  const read: { readonly metric: Exclude<Metric, { type: 'histogram' }>; readonly instrument: Observable }[] =
    []
  for (const metric of METRICS) {
    if (metric.type === 'histogram') continue
    const options = instrumentOf(metric)
    const instrument =
      metric.type === 'counter'
        ? meter.createObservableCounter(nameFor(metric), options)
        : meter.createObservableGauge(nameFor(metric), options)
    read.push({ metric, instrument })
  }
  const callback = (result: BatchObservableResult) => {
    const metrics = watched.metrics()
    for (const { metric, instrument } of read) {
      for (const { labels, value } of metric.read(metrics)) {
        result.observe(instrument, value, { node: watched.id, ...labels })
      }
    }
  }
  const instruments = read.map(({ instrument }) => instrument)
  meter.addBatchObservableCallback(callback, instruments)
  return () => meter.removeBatchObservableCallback(callback, instruments)
}

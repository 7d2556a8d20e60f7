/** The figures of a node as Prometheus reads them, in a registry of their own. */
import { BUCKETS, type HistogramReading } from '@turnwise/mesh/observe/histogram'
import { METRICS, type MeshMetrics, type Metric, type Sample } from '@turnwise/mesh/observe/metrics'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** By convention the unit and what a counter counts stand last. */
export function prometheusName({ name, unit, type }: Metric): string {
  return [
    'turnwise',
    ...name,
    ...(unit === null ? [] : [unit]),
    ...(type === 'counter' ? ['total'] : []),
  ].join('_')
}

/** `read` gives null before the node has joined. Nothing is kept here: every scrape asks the node. */
export function registryOf(node: string, read: () => MeshMetrics | null): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ node })
  const joined = new Gauge({
    name: 'turnwise_joined',
    help: 'Whether the node is a member: 0 while it still joins.',
    registers: [],
    collect() {
      this.set(read() === null ? 0 : 1)
    },
  })
  registry.registerMetric(joined)
  for (const metric of METRICS) registry.registerMetric(viewOf(metric, read))
  return registry
}

interface Described {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
}

function viewOf(metric: Metric, read: () => MeshMetrics | null): Gauge | Counter | Histogram {
  const described: Described = { name: prometheusName(metric), help: metric.help, labelNames: metric.labels }
  if (metric.type === 'histogram') {
    return new HistogramView(described, () => samplesOf(metric.read, read()))
  }
  const samples = () => samplesOf(metric.read, read())
  if (metric.type === 'gauge') {
    return new Gauge({
      ...described,
      registers: [],
      collect() {
        this.reset()
        for (const { labels, value } of samples()) this.set(labels, value)
      },
    })
  }
  return new Counter({
    ...described,
    registers: [],
    collect() {
      this.reset()
      for (const { labels, value } of samples()) this.inc(labels, value)
    },
  })
}

function samplesOf<Value>(
  of: (metrics: MeshMetrics) => readonly Sample<Value>[],
  metrics: MeshMetrics | null,
): readonly Sample<Value>[] {
  return metrics === null ? [] : of(metrics)
}

/** The client's own histogram counts what it is given one by one; here the buckets have been counted already. */
class HistogramView extends Histogram {
  readonly #described: Described
  readonly #samples: () => readonly Sample<HistogramReading>[]

  constructor(described: Described, samples: () => readonly Sample<HistogramReading>[]) {
    super({ ...described, labelNames: [...described.labelNames], buckets: [...BUCKETS], registers: [] })
    this.#described = described
    this.#samples = samples
  }

  /** What a registry asks a histogram for; the types of the client do not tell. */
  getForPromString() {
    const { name, help } = this.#described
    const values = this.#samples().flatMap((sample) => valuesOf(name, sample))
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values })
  }
}

/** Buckets are added up from below, as Prometheus wants them. */
function valuesOf(name: string, { labels, value: { counts, sum } }: Sample<HistogramReading>) {
  let below = 0
  const buckets = counts.map((count, i) => {
    below += count
    const le = BUCKETS[i] ?? '+Inf'
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, sharedLabels: {}, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, sharedLabels: {}, value: sum },
    { metricName: `${name}_count`, labels, sharedLabels: {}, value: below },
  ]
}

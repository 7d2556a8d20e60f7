import type { NodeId } from '@turnwise/core/algorithm'
import { decimal, InvalidInput, invalid } from '@turnwise/core/invalid-input'
import type { Random } from '@turnwise/core/random'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { evenZones, type Zones } from '@turnwise/core/zones'

/** A law of durations, in units of time. */
export type Law =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly low: number; readonly high: number }
  | { readonly kind: 'exponential'; readonly mean: number }

export const LAW_FORMS = 'constant:D, uniform:LOW,HIGH, exponential:MEAN'

/**
 * Latencies as they are between real places, one way, in milliseconds: a unit of time is one then. Within a rack or hall a quarter, between
 * the halls of a region about one, between continents what light in glass needs, and some more.
 */
const PLACES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'one-datacentre': [['uniform:0.2,0.3']],
  'three-zones': square(3, (from, to) => (from === to ? 'uniform:0.2,0.3' : 'uniform:0.8,1.2')),
  'three-continents': [
    ['uniform:0.2,0.6', 'uniform:60,64', 'uniform:100,106'],
    ['uniform:60,64', 'uniform:0.2,0.6', 'uniform:150,158'],
    ['uniform:100,106', 'uniform:150,158', 'uniform:0.2,0.6'],
  ],
}

export const LATENCY_FORMS: string = [LAW_FORMS, ...Object.keys(PLACES)].join(', ')

/** `forms`: what else the place takes that the text is for. */
export function lawFrom(text: string, forms = LAW_FORMS): Law {
  const [, kind = '', argument = ''] = /^([a-z]+):(.+)$/.exec(text) ?? []
  switch (kind) {
    case 'constant':
      return { kind, value: decimal(argument, 'a duration', { above: 0 }) }
    case 'uniform': {
      const [low = '', high = '', more] = argument.split(',')
      if (more !== undefined || high === '') throw invalid(text, 'of the form uniform:LOW,HIGH')
      const least = decimal(low, 'a duration', { min: 0 })
      return { kind, low: least, high: decimal(high, `a duration longer than ${least}`, { above: least }) }
    }
    case 'exponential':
      return { kind, mean: decimal(argument, 'a mean duration', { above: 0 }) }
    default:
      throw invalid(text, `one of ${forms}`)
  }
}

export function writeLaw(law: Law): string {
  switch (law.kind) {
    case 'constant':
      return `constant:${law.value}`
    case 'uniform':
      return `uniform:${law.low},${law.high}`
    case 'exponential':
      return `exponential:${law.mean}`
  }
}

/** Draws a duration in whole ticks, at least one: nothing happens in no time, so causes precede effects. */
export function drawTicks(law: Law, random: Random): number {
  return Math.max(1, Math.round(drawUnits(law, random) * TICKS_PER_UNIT))
}

function drawUnits(law: Law, random: Random): number {
  switch (law.kind) {
    case 'constant':
      return law.value
    case 'uniform':
      return law.low + (law.high - law.low) * random.fraction()
    case 'exponential':
      // 1 - fraction is never 0. The logarithm's last bit may differ between engines; rounding to ticks hides it.
      return -law.mean * Math.log(1 - random.fraction())
  }
}

/** Laws of latency by the zones of sender and receiver. */
export interface ZoneLaws {
  readonly zones: Pick<Zones, 'count' | 'of'>
  /** By the zone of the sender, then of the receiver. */
  readonly laws: readonly (readonly Law[])[]
}

/** Which nodes belong to which zone, if nobody says. */
export type Placing = (nodes: number, zones: number) => ZoneLaws['zones']

/** The latency of every channel: one law for all, or some channels with laws of their own. */
export interface Latency {
  readonly text: string
  readonly everywhere: Law
  /** By `from * nodes + to`. */
  readonly links: ReadonlyMap<number, Law>
  /** If it depends on zones: then there are no links with laws of their own. */
  readonly between?: ZoneLaws
}

export function sameLatency(law: Law): Latency {
  return { text: writeLaw(law), everywhere: law, links: new Map() }
}

/** A law for all, one of the named latencies between zones, or what a file would say. The caller reads files. */
export function latencyFrom(text: string, nodes: number, placing: Placing = evenZones): Latency {
  if (text.startsWith('{')) return { ...latencyFromFile(readJson(text), nodes, placing), text }
  return zoneLatencyNamed(text, nodes, placing) ?? sameLatency(lawFrom(text, LATENCY_FORMS))
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidInput('it begins with { but is not JSON')
  }
}

/** All laws that occur. */
export function lawsIn({ everywhere, links, between }: Latency): Law[] {
  return [everywhere, ...links.values(), ...(between?.laws.flat() ?? [])]
}

/**
 * Reads `{ "default": "constant:1", "links": { "0>1": "constant:5", "1-2": "uniform:1,2" } }`: `>` for one
 * direction, `-` for both. Or `zones`: see `zoneLatencyFromFile`.
 */
export function latencyFromFile(value: unknown, nodes: number, placing: Placing = evenZones): Latency {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidInput('it is not an object')
  if ('zones' in value && Object.keys(value).every((field) => field === 'zones' || field === 'of'))
    return zoneLatencyFromFile(value, nodes, placing)
  const { default: everywhere = 'constant:1', links = {}, ...others } = value as Record<string, unknown>
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined)
    throw new InvalidInput(`"${unknown}" is not one of its fields: default and links, or zones and of`)
  if (typeof everywhere !== 'string') throw new InvalidInput('default is not a text such as "constant:1"')
  if (typeof links !== 'object' || links === null) throw new InvalidInput('links is not an object')
  const laws = new Map<number, Law>()
  for (const [link, text] of Object.entries(links)) {
    const [, a = '', direction, b = ''] = /^(\d+)([->])(\d+)$/.exec(link) ?? []
    const from = Number(a)
    const to = Number(b)
    if (direction === undefined || from >= nodes || to >= nodes || from === to) {
      throw new InvalidInput(`links: "${link}" is not A>B or A-B with two nodes from 0 to ${nodes - 1}`)
    }
    if (typeof text !== 'string') throw new InvalidInput(`links: "${link}" has no law such as "constant:1"`)
    const law = lawFrom(text)
    laws.set(from * nodes + to, law)
    if (direction === '-') laws.set(to * nodes + from, law)
  }
  return { text: 'file', everywhere: lawFrom(everywhere), links: laws }
}

export function lawOf(latency: Latency, from: NodeId, to: NodeId, nodes: number): Law {
  const { between } = latency
  if (between !== undefined)
    return between.laws[between.zones.of(from)]?.[between.zones.of(to)] ?? latency.everywhere
  return latency.links.size === 0
    ? latency.everywhere
    : (latency.links.get(from * nodes + to) ?? latency.everywhere)
}

/** One of the named ones; null if there is none of that name. */
function zoneLatencyNamed(text: string, nodes: number, placing: Placing): Latency | null {
  const laws = Object.hasOwn(PLACES, text) ? PLACES[text] : undefined
  return laws === undefined
    ? null
    : { ...zoneLatency(laws, placing(nodes, Math.min(laws.length, nodes))), text }
}

/**
 * Reads `{ "zones": [["constant:1", "constant:60"], ["constant:60", "constant:1"]], "of": [0, 0, 1] }`: a row for each zone of a sender, and, if
 * it is there, the zone of each node.
 */
function zoneLatencyFromFile(
  { zones: rows, of }: { readonly zones: unknown; readonly of?: unknown },
  nodes: number,
  placing: Placing,
): Latency {
  if (!Array.isArray(rows) || rows.length === 0) throw new InvalidInput('zones is not a list of rows')
  const laws = rows.map((row: unknown, zone) => {
    if (!Array.isArray(row) || row.length !== rows.length || !row.every((law) => typeof law === 'string'))
      throw new InvalidInput(`zones: row ${zone + 1} is not ${rows.length} laws such as "constant:1"`)
    return row
  })
  if (laws.length > nodes) throw new InvalidInput(`zones: there are ${laws.length} zones for ${nodes} nodes`)
  return zoneLatency(laws, of === undefined ? placing(nodes, laws.length) : placed(of, nodes, laws.length))
}

function placed(of: unknown, nodes: number, count: number): ZoneLaws['zones'] {
  const isZone = (zone: unknown): zone is number =>
    typeof zone === 'number' && Number.isInteger(zone) && zone >= 0 && zone < count
  if (!Array.isArray(of) || of.length !== nodes || !of.every(isZone))
    throw new InvalidInput(`of is not a list of ${nodes} zones from 0 to ${count - 1}, one for each node`)
  return { count, of: (node) => of[node] ?? 0 }
}

function zoneLatency(texts: readonly (readonly string[])[], zones: ZoneLaws['zones']): Latency {
  const laws = texts.map((row) => row.map((text) => lawFrom(text)))
  const everywhere = laws[0]?.[0] ?? lawFrom('constant:1')
  return {
    text: 'file',
    everywhere,
    links: new Map(),
    between: { zones, laws },
  }
}

function square(size: number, law: (from: number, to: number) => string): string[][] {
  return Array.from({ length: size }, (_, from) => Array.from({ length: size }, (__, to) => law(from, to)))
}

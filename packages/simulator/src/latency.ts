import type { NodeId } from '@turnwise/core/algorithm'
import { decimal, InvalidInput, invalid } from '@turnwise/core/invalid-input'
import type { Random } from '@turnwise/core/random'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'

/** A law of durations, in units of time. */
export type Law =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly low: number; readonly high: number }
  | { readonly kind: 'exponential'; readonly mean: number }

export const LAW_FORMS = 'constant:D, uniform:LOW,HIGH, exponential:MEAN'

export function lawFrom(text: string): Law {
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
      throw invalid(text, `one of ${LAW_FORMS}`)
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

/** The latency of every channel: one law for all, or some channels with laws of their own. */
export interface Latency {
  readonly text: string
  readonly everywhere: Law
  /** By `from * nodes + to`. */
  readonly links: ReadonlyMap<number, Law>
}

export function sameLatency(law: Law): Latency {
  return { text: writeLaw(law), everywhere: law, links: new Map() }
}

/**
 * Reads `{ "default": "constant:1", "links": { "0>1": "constant:5", "1-2": "uniform:1,2" } }`: `>` for one
 * direction, `-` for both.
 */
export function latencyFromFile(value: unknown, nodes: number): Latency {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidInput('it is not an object')
  const { default: everywhere = 'constant:1', links = {}, ...others } = value as Record<string, unknown>
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) throw new InvalidInput(`"${unknown}" is not one of its fields: default, links`)
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
  return latency.links.size === 0
    ? latency.everywhere
    : (latency.links.get(from * nodes + to) ?? latency.everywhere)
}

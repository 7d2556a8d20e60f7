/** How far the members of a fleet are from each other. Each belongs to a zone, and bytes between zones take their time. */
import { randomStream } from '@turnwise/core/random'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { drawTicks, type Latency, lawOf, lawsIn, type Placing } from '@turnwise/simulator/latency'

/** Zone 0, 1, 2, 0, 1, 2, …: so the first few, which vote, are not all in one. */
export const roundRobin: Placing = (_nodes, zones) => ({ count: zones, of: (node) => node % zones })

export interface Distance {
  /** As it was asked for. */
  readonly text: string
  /** The members of each zone, zone 0 first; null if the latency knows no zones. */
  readonly zones: readonly (readonly string[])[] | null
  /** What a member states to `join` about where it is. */
  stating(id: string): { readonly zone?: string }
  /** Milliseconds from one member to another, drawn anew with every call. */
  delay(from: string, to: string): () => number
}

/** A unit of time is a millisecond. `tells`: whether the members are told their zones. */
export function distanceBetween(
  ids: readonly string[],
  latency: Latency,
  seed: number,
  tells = true,
): Distance {
  const { text, between } = latency
  const zones =
    between === undefined
      ? null
      : Array.from({ length: between.zones.count }, (_, zone) =>
          ids.filter((__, node) => between.zones.of(node) === zone),
        )
  return {
    text,
    zones,
    stating(id) {
      const zone = zones?.findIndex((members) => members.includes(id)) ?? -1
      return zone === -1 || !tells ? {} : { zone: `zone-${zone}` }
    },
    delay(from, to) {
      const law = lawOf(latency, ids.indexOf(from), ids.indexOf(to), ids.length)
      const random = randomStream(seed, `${from} to ${to}`)
      return () => drawTicks(law, random) / TICKS_PER_UNIT
    },
  }
}

/** Milliseconds that hardly a message exceeds, from any member to any other. */
export function longestWay(latency: Latency): number {
  const most = lawsIn(latency).map((law) => {
    switch (law.kind) {
      case 'constant':
        return law.value
      case 'uniform':
        return law.high
      case 'exponential':
        return 3 * law.mean
    }
  })
  return Math.max(...most)
}

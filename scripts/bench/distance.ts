/** One lock between processes that are far from each other: relays in this process delay their bytes. */
import { get } from '@turnwise/core/bounds'
import { distanceBetween, roundRobin } from '@turnwise/fleet/distance'
import { Wires } from '@turnwise/fleet/wires'
import { latencyOption } from '../../packages/cli/dist/cli/run-options.js'
import { thousands } from './figures.ts'
import { Fleet, idsOf, type Times } from './fleet.ts'
import { changesOfHands, quantile } from './hand-offs.ts'
import type { Progress } from './progress.ts'
import { type Load, PATIENT } from './talk.ts'

export interface FarHandOffs {
  readonly algorithm: string
  readonly processes: number
  /** Whether they state their zones. */
  readonly isZoned: boolean
  /** Hand-offs a second. */
  readonly rate: number
  /** The share of the hand-offs that goes to another zone. */
  readonly across: number
  /** Messages of the algorithm for each hand-off. */
  readonly messages: number
  /** Of each zone: its processes, and how long turns were waited for, in milliseconds. One row where there are no zones. */
  readonly zones: readonly { readonly ids: readonly string[]; readonly p50: number; readonly p99: number }[]
}

/** Bytes that take their time need rounds that are longer, and none is faster than another for the sake of a compiler. */
export const longer = ({ warmUp, measured }: Times): Times => ({ warmUp: 5 * warmUp, measured: 5 * measured })

/** Processes with relays between them. `end` ends both. */
export async function farFleet(latency: string, algorithm: string, processes: number, isZoned: boolean) {
  const ids = idsOf(processes)
  const distance = distanceBetween(ids, latencyOption(latency, processes, roundRobin), 1, isZoned)
  const wires = await Wires.between(ids, distance)
  const stating = (id: string) => distance.stating(id)
  const fleet = await Fleet.of(processes, { algorithm, lease: PATIENT }, wires, stating)
  const end = async () => {
    await fleet.end()
    wires.close()
  }
  return { fleet, ids, zones: distance.zones ?? [ids], end }
}

export async function farHandOffs(
  latency: string,
  algorithm: string,
  processes: number,
  given: Times,
  load: Load,
  progress: Progress,
  isZoned: boolean,
): Promise<FarHandOffs> {
  const what = `${algorithm}, ${processes} processes, ${latency}${isZoned ? ', with zones' : ''}`
  progress.begins(what)
  const { fleet, ids, zones: places, end } = await farFleet(latency, algorithm, processes, isZoned)
  try {
    const times = longer(given)
    const all = await fleet.turns(['invoices'], times, load)
    const changes = changesOfHands(all)
    const rate = (changes * 1000) / times.measured
    progress.ended(what, `${thousands(rate)} hand-offs/s`)
    const zones = places.map((members) => {
      const waits = members.flatMap((id) => all[ids.indexOf(id)]?.waits ?? []).toSorted((a, b) => a - b)
      return { ids: members, p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) }
    })
    const sent = all.reduce((sum, each) => sum + each.sent, 0)
    const zoneOf = (process: number) => zones.findIndex((zone) => zone.ids.includes(get(ids, process)))
    const across = changesOfHands(all, zoneOf) / Math.max(1, changes)
    return { algorithm, processes, isZoned, rate, across, messages: sent / Math.max(1, changes), zones }
  } finally {
    await end()
  }
}

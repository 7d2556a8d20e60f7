import type { AnyProtocol } from '@turnwise/core/algorithm'
import type { Trace } from '@turnwise/core/trace/trace'
import type { Hand } from '../run/hand.ts'
import { playParts } from '../run/play.ts'
import { retrace } from '../run/retrace.ts'
import { type RunSpec, recordedWorld, worldFor } from '../run/world-spec.ts'
import { Trail, type TrailPart } from './trail.ts'

/** Plays a run again with a probed algorithm, and tells part by part what ran for each event. */
export function* followRun(
  protocol: AnyProtocol,
  spec: RunSpec,
  hands: readonly Hand[],
  partOf: number,
): Generator<TrailPart, undefined> {
  const trail = new Trail()
  const world = worldFor(spec, trail.following(protocol))
  for (const _ of playParts(world, hands, { partOf, begins: (event) => trail.begin(event) }))
    yield trail.take()
}

/** The same for a record: null if its events are not what these rules do. */
export function followRecord(protocol: AnyProtocol, spec: RunSpec, trace: Trace): TrailPart | null {
  const trail = new Trail()
  const { config } = recordedWorld(spec, trail.following(protocol))
  const setup = { ...config.setup, entries: trace.header.entries }
  const states = retrace(trace, config.algorithm, setup, (event) => trail.begin(event))
  return states === null ? null : trail.take()
}

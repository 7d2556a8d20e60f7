import type { Hand } from '../src/run/hand.ts'
import { type Moment, momentAt } from '../src/run/moment.ts'
import type { Played } from '../src/run/play.ts'
import { play } from '../src/run/play-whole.ts'
import type { Recording } from '../src/run/recording.ts'
import { record } from '../src/run/recording-builder.ts'
import { type RunSpec, worldOf } from '../src/run/spec.ts'

/** A run for tests: three nodes, all ask at once and twice, all in units of one. */
export function specOf(changes: Partial<RunSpec> = {}): RunSpec {
  return {
    algorithm: 'ricart-agrawala',
    nodes: 3,
    seed: 1,
    load: 'heavy',
    entries: 6,
    latency: 'constant:1',
    inside: 'constant:1',
    fault: [],
    set: [],
    ...changes,
  }
}

export interface Watched {
  readonly spec: RunSpec
  readonly played: Played
  readonly recording: Recording
  readonly world: ReturnType<typeof worldOf>
  readonly at: (position: number) => Moment
}

export function watched(changes: Partial<RunSpec> = {}, hands: readonly Hand[] = []): Watched {
  const spec = specOf(changes)
  const world = worldOf(spec)
  const played = play(spec, hands)
  const recording = record(played)
  return {
    spec,
    played,
    recording,
    world,
    at: (position) => momentAt(recording, position, world.config.algorithm),
  }
}

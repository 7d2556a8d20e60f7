/** What the first line of a trace says of the run that it records. */
import { TRACE_VERSION, type TraceHeader } from '@turnwise/core/trace/trace'
import { worldSettings } from '@turnwise/core/trace/world-settings'
import type { SimulationConfig, WorldConfig } from './engine.ts'
import { writeLaw } from './latency.ts'
import { writePriorities } from './priority-shares.ts'

export function traceHeader(config: SimulationConfig): TraceHeader {
  const { load, inside, entries, readers = 0, priorities = [], take = null } = config
  return headerOf(config, {
    load: load.text,
    requests: entries,
    inside: writeLaw(inside),
    ...(readers === 0 ? {} : { readers }),
    ...(priorities.length === 0 ? {} : { priorities: writePriorities(priorities) }),
    ...(take === null ? {} : { take }),
  })
}

/** The header of any recorded run. `asked` holds the further wishes of this kind of run. */
export function headerOf(config: WorldConfig, asked: TraceHeader['settings']): TraceHeader {
  const { algorithm, setup, seed, latency, channels, faults } = config
  return {
    format: 'turnwise-trace',
    version: TRACE_VERSION,
    algorithm: algorithm.facts.name,
    nodes: setup.nodes,
    seed,
    entries: setup.entries,
    settings: {
      ...asked,
      latency: latency.text,
      ...worldSettings(algorithm, setup, channels),
      ...(faults.length === 0 ? {} : { faults: faults.map(({ text }) => text).join(' ') }),
    },
  }
}

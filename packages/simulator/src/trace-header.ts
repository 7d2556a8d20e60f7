/** What the first line of a trace says of the run that it records. */
import { changedSettings } from '@turnwise/core/options'
import { TRACE_VERSION, type TraceHeader } from '@turnwise/core/trace/trace'
import type { SimulationConfig, WorldConfig } from './engine.ts'
import { writeLaw } from './latency.ts'

export function traceHeader(config: SimulationConfig): TraceHeader {
  return headerOf(config, { load: config.load.text, inside: writeLaw(config.inside) })
}

/** The header of any recorded run. `asked` holds the further wishes of this kind of run. */
export function headerOf(config: WorldConfig, asked: Readonly<Record<string, string>>): TraceHeader {
  const { algorithm, setup, seed, latency, channels, faults } = config
  const set = changedSettings(algorithm.options, setup.options)
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
      channels,
      topology: setup.topology.kind,
      ...(setup.quorums === null ? {} : { quorum: setup.quorums.kind }),
      ...(setup.structure === null ? {} : { structure: setup.structure.kind }),
      ...(setup.resources === 1 ? {} : { resources: setup.resources }),
      ...(set.length === 0 ? {} : { set: set.join(' ') }),
      ...(faults.length === 0 ? {} : { faults: faults.map(({ text }) => text).join(' ') }),
    },
  }
}

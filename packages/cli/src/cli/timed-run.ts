import { getHeapStatistics } from 'node:v8'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type TraceEvent, type TraceHeader, writeTraceLine } from '@turnwise/core/trace/trace'
import type { SimulationConfig, WorldConfig } from '@turnwise/simulator/engine'
import { type Report, reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { writeText } from '../terminal/input.ts'

/**
 * States that grow with n add up to n^2: rather than run out of memory half-way, say how many nodes fit. What a
 * state takes in memory is about what it takes as JSON.
 */
function checkMemory({ algorithm, setup }: SimulationConfig): void {
  const needed = JSON.stringify(algorithm.init(setup.home, setup)).length * setup.nodes
  const { heap_size_limit: limit } = getHeapStatistics()
  if (needed < limit) return
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  throw new InvalidInput(
    `--nodes: "${setup.nodes}" nodes of ${algorithm.facts.name} need about ${gigabytes(needed)}, and ` +
      `${gigabytes(limit)} may be used: its state grows with the number of nodes`,
  )
}

/** How many pending events are handled between two looks at the clock. */
const SLICE = 50_000

export interface TimedReport extends Report {
  readonly wallMs: number
}

/** Runs to the end, telling after every slice how far it is. */
export function run(config: SimulationConfig, progress: (share: number) => void): TimedReport {
  checkMemory(config)
  const started = performance.now()
  const simulation = new Simulation(config)
  while (!simulation.step(SLICE)) progress(simulation.jury.entries / config.entries)
  return { ...reportOf(simulation), wallMs: Math.round(performance.now() - started) }
}

/** Collects a run's events as the lines of a trace file. */
export function recorder<Config extends WorldConfig>(
  config: Config,
  header: TraceHeader,
): { config: Config; save(path: string): void } {
  const lines = [writeTraceLine(header)]
  const record = (event: TraceEvent) => void lines.push(writeTraceLine(event))
  return { config: { ...config, record }, save: (path) => writeText(path, lines.join('')) }
}

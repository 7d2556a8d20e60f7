import { isElection } from '@turnwise/core/algorithm'
import type { Trace } from '@turnwise/core/trace/trace'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { electionConfig } from '@turnwise/simulator/election-configuration'
import { record } from '../../run/recording.ts'
import { retell } from '../../run/retold.ts'
import type { WorldSpec } from '../../run/spec.ts'
import type { Run } from '../theatre/use-run.ts'
import { instanceOf, type Question } from './question.ts'

/** A run that the checker found, as the theatre shows it. */
export function runOf(question: Question, trace: Trace): Run {
  const { algorithm, setup, channels } = instanceOf(question)
  const { nodes, quorum, topology, structure, k, set } = question
  const world: WorldSpec = isElection(algorithm)
    ? { is: 'election', config: { ...electionConfig(algorithm, { nodes, set }), setup } }
    : { is: 'exclusion', config: { ...simulationConfig(algorithm, { nodes, set }), setup } }
  return {
    spec: {
      algorithm: question.algorithm,
      nodes,
      seed: 0,
      load: 'hands',
      entries: 0,
      latency: 'constant:1',
      inside: 'constant:1',
      channels,
      topology,
      quorum,
      structure,
      k,
      fault: [],
      set,
    },
    hands: [],
    world,
    recording: record(retell(trace, algorithm, setup)),
    refused: [],
  }
}

import type { RunSpec } from '../run/spec.ts'

/** A run without surprises, for lessons that show what a rule does. */
export const calm: Omit<RunSpec, 'algorithm' | 'nodes' | 'load'> = {
  seed: 1,
  entries: 30,
  latency: 'constant:1',
  inside: 'constant:2',
  fault: [],
  set: [],
}

import { firstDisjointPair } from '@turnwise/core/quorum/quorums'
import type { WorldConfig } from './engine.ts'

/**
 * In which ways a run leaves what the algorithm assumes. It may: that is how one learns what the assumption
 * is for. But whoever runs it should know.
 */
export function brokenAssumptions({ algorithm, setup, channels, latency, faults }: WorldConfig): string[] {
  const { facts } = algorithm
  const broken: string[] = []
  if (facts.channels === 'fifo' && channels === 'unordered') broken.push('channels do not keep order')
  const kinds = new Set(faults.map(({ kind }) => kind).filter((kind) => !facts.faults.includes(kind)))
  if (kinds.size > 0) broken.push(`it does not claim to survive ${[...kinds].join(', ')}`)
  const laws = [latency.everywhere, ...latency.links.values()]
  if (facts.timing === 'bounded' && laws.some(({ kind }) => kind === 'exponential')) {
    broken.push('delays have no bound')
  }
  const pair = setup.quorums === null ? null : firstDisjointPair(setup.quorums)
  if (pair !== null) broken.push(`the quorums of nodes ${pair.a} and ${pair.b} do not meet`)
  return broken
}

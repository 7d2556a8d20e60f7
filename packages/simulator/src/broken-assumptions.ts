import { misfits } from '@turnwise/core/options'
import { kCoterieFlaw } from '@turnwise/core/quorum/k-coterie'
import { firstDisjointPair } from '@turnwise/core/quorum/quorums'
import type { Setup } from '@turnwise/core/setup'
import { tellFlaw, validate } from '@turnwise/core/structure/validate'
import { aftermath } from './aftermath.ts'
import type { WorldConfig } from './engine.ts'
import { lawsIn } from './latency.ts'

/**
 * How a run breaks the assumptions of the algorithm. This is allowed: it shows what an assumption is for. But the user
 * should know.
 */
export function brokenAssumptions({ algorithm, setup, channels, latency, faults }: WorldConfig): string[] {
  const { facts } = algorithm
  const broken: string[] = []
  if (facts.channels === 'fifo' && channels === 'unordered') broken.push('channels do not keep order')
  const kinds = new Set(faults.map(({ kind }) => kind).filter((kind) => !facts.faults.includes(kind)))
  if (kinds.size > 0) broken.push(`it does not claim to survive ${[...kinds].join(', ')}`)
  const crashes = faults.filter(({ kind }) => kind === 'crash').length
  if (crashes > (facts.mostCrashes ?? crashes)) broken.push(`at most ${facts.mostCrashes} may crash`)
  const laws = lawsIn(latency)
  if (facts.timing === 'bounded' && laws.some(({ kind }) => kind === 'exponential')) {
    broken.push('delays have no bound')
  }
  broken.push(...quorumFlaws(setup), ...structureFlaws(setup))
  broken.push(...aftermath({ algorithm, setup, faults }))
  broken.push(...misfits(algorithm.options, setup.options, setup.nodes))
  return broken
}

/** The first condition of the theorem that the information structure breaks, if it breaks one. */
export function structureFlaws({ structure }: Setup): string[] {
  const [flaw, ...more] = structure === null ? [] : validate(structure).flaws
  if (flaw === undefined) return []
  return [`${tellFlaw(flaw)}${more.length === 0 ? '' : ` (and ${more.length} more)`}`]
}

function quorumFlaws({ quorums, entries }: Setup): string[] {
  if (quorums === null) return []
  if (quorums.choice !== undefined) {
    const flaw = quorums.choice.lists === null ? null : kCoterieFlaw(quorums.choice.lists, entries)
    return flaw === null ? [] : [`the quorums are no ${entries}-coterie: ${flaw}`]
  }
  const pair = firstDisjointPair(quorums)
  return pair === null ? [] : [`the quorums of nodes ${pair.a} and ${pair.b} do not meet`]
}

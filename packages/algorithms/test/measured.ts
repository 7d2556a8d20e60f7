import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { type Report, reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { extent } from '../../../test/extent.ts'
import { algorithmNamed } from '../src/catalogue.ts'

/** Runs an algorithm as the command line would and reports; a violation is an error with the way to see it again. */
export function measured(algorithm: string | AnyAlgorithm, wishes: RunWishes): Report {
  const known = typeof algorithm === 'string' ? algorithmNamed(algorithm) : algorithm
  const report = reportOf(new Simulation(simulationConfig(known, wishes)).runToEnd())
  const [violation] = report.violations
  if (violation !== undefined) {
    throw new Error(
      `${known.facts.name} with ${JSON.stringify(wishes)}: ${violation.judge}: ${violation.text}`,
    )
  }
  return report
}

/** Numbers of nodes that tests run over: all small ones, then wider steps. The wide ones take most of the time. */
const SMALL = [2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16]
/** Even and odd, primes, squares, and sizes of planes. */
const FEW = [2, 3, 4, 5, 6, 7, 9, 13]
export const SIZES = extent(FEW, SMALL, [...SMALL, 20, 21, 25, 31, 36, 43, 50])

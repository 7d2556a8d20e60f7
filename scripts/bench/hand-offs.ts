/** One lock that goes from process to process, beside a bare token that does. */
import { Fleet, type Times } from './fleet.ts'
import type { Turns } from './talk.ts'

export interface HandOffs {
  /** A second; turns of one process in a row are one. */
  readonly rate: number
  /** Jain's index of how evenly turns fell: 1 if all had as many. */
  readonly fairness: number
  /** Messages of the algorithm for each hand-off. */
  readonly messages: number
  /** Microseconds of processor time for each hand-off, of all processes together. */
  readonly cpu: number
}

const LOCK = 'invoices'

export async function handOffs(algorithm: string, count: number, times: Times): Promise<HandOffs> {
  const fleet = await Fleet.of(count, { algorithm })
  try {
    const all = await fleet.turns([LOCK], times)
    const changes = changesOfHands(all)
    const sent = all.reduce((sum, each) => sum + each.sent, 0)
    return {
      rate: (changes * 1000) / times.measured,
      fairness: jain(all.map(({ turns }) => turns)),
      messages: sent / changes,
      cpu: all.reduce((sum, each) => sum + each.cpu, 0) / changes,
    }
  } finally {
    await fleet.end()
  }
}

/** In the order of fences, which is that of the turns: how often the next one is of another process. */
function changesOfHands(all: readonly Turns[]): number {
  const turns = all.flatMap(({ fences }, process) => fences.map((fence) => ({ fence, process })))
  turns.sort((a, b) => a.fence - b.fence)
  let changes = 0
  for (let i = 1; i < turns.length; i += 1) {
    if (turns[i].fence === turns[i - 1].fence) throw new Error(`fence ${turns[i].fence} was given twice`)
    if (turns[i].process !== turns[i - 1].process) changes += 1
  }
  return changes
}

/** R. Jain, D. Chiu and W. Hawe, "A Quantitative Measure of Fairness and Discrimination", DEC-TR-301, 1984. */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share ** 2, 0)
  return squares === 0 ? 0 : sum ** 2 / (shares.length * squares)
}

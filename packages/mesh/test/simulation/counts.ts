/** What happened in a run, so that a series of runs can show that it met what it is about. */
import type { Effect } from '../../src/protocol/events.ts'

export interface Counts {
  runs: number
  events: number
  chosen: number
  begun: number
  grants: number
  handOns: number
  frozenHandOns: number
  carried: number
  lost: number
  stolen: number
  downgrades: number
  joinedAfter: number
  upgraded: number
  crashes: number
  lostStates: number
  pauses: number
  cuts: number
  leaves: number
  replaced: number
  quietTails: number
  halted: number
  wishes: number
  settled: number
  restored: number
  stale: number
  suspends: number
}

export function noCounts(): Counts {
  return {
    runs: 0,
    events: 0,
    chosen: 0,
    begun: 0,
    grants: 0,
    handOns: 0,
    frozenHandOns: 0,
    carried: 0,
    lost: 0,
    stolen: 0,
    downgrades: 0,
    joinedAfter: 0,
    upgraded: 0,
    crashes: 0,
    lostStates: 0,
    pauses: 0,
    cuts: 0,
    leaves: 0,
    replaced: 0,
    quietTails: 0,
    halted: 0,
    wishes: 0,
    settled: 0,
    restored: 0,
    stale: 0,
    suspends: 0,
  }
}

/** What an effect at a node adds. */
export function count(counts: Counts, id: string, effect: Effect): void {
  switch (effect.kind) {
    case 'lost':
      counts[effect.why === 'stolen' ? 'stolen' : 'lost'] += 1
      return
    case 'chosen':
      counts.chosen += 1
      if (effect.record.oldVoters !== null) counts.replaced += 1
      return
    case 'begun': {
      const holders = Object.values(effect.record.table).flat()
      counts.begun += 1
      counts.carried += holders.filter((holder) => holder.id === id).length
      return
    }
    case 'voters':
      counts.settled += 1
      return
    case 'stale-state':
      counts.stale += 1
  }
}

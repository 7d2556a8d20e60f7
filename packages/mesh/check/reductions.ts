/**
 * Which worlds the explorer takes for one, and which steps it takes at once. Each reduction can be switched off, and the
 * tests compare: within the small bounds both ways see the same views, promises and valid holds, and the same verdicts.
 *
 * All of them rest on some of the rules. Where one of those is broken the reduction is left out, so that it cannot hide
 * what the broken rule does.
 */
import { isSound } from '../broken/under.ts'
import type { Rules } from '../src/protocol/rules.ts'
import type { Bounds } from './bounds.ts'

export interface Reductions {
  /**
   * A ballot is named by its session and its epoch, not by a counter. A session proposes an epoch once (R9: the next one is above
   * its own promise), so names stay unique, which is all that is asked of them.
   */
  readonly ballotsByEpoch: boolean
  /**
   * Of a view that is frozen at a node is kept who holds and who waits. A promise never goes back, so the algorithm's instances,
   * the table, and the record as it was installed are not read again; another view starts from its own table (R11, R14).
   */
  readonly frozenViews: boolean
  /**
   * The fence of a hold is read for a hand-on only, and with one local turn that is a thief's. The last fence of all is forgotten
   * when everyone has promised a higher epoch: every later grant is above it.
   */
  readonly fences: boolean
  /**
   * R4 reads what a majority has reached. With one set of voters, acks below that value are raised to it: whichever acks follow, the
   * majority's value is the same. A node that has a majority's acks of this very moment gets no more. A further ack would change no
   * deadline and only make a voter wait, and a voter that waits less can do everything that one that waits more can.
   */
  readonly leases: boolean
  /**
   * What a node says without changing (a report once more, OUT, a copy of its view) is said at once. Messages are a set and no
   * rule asks whether one is absent, so a world with more of them can do whatever one with fewer can.
   */
  readonly says: boolean
  /**
   * Ballots that can come to nothing: too many have promised higher ones. Their proposer may as well have given them up (R16), a
   * record of them never begins, and whose promise it was is not asked again.
   */
  readonly lostBallots: boolean
  /** Facts that no lemma will be asked of: of epochs below everybody's promise, where nobody outside them can come back. */
  readonly facts: boolean
}

export const NONE: Reductions = {
  ballotsByEpoch: false,
  frozenViews: false,
  fences: false,
  leases: false,
  says: false,
  lostBallots: false,
  facts: false,
}

export const ALL: Reductions = {
  ballotsByEpoch: true,
  frozenViews: true,
  fences: true,
  leases: true,
  says: true,
  lostBallots: true,
  facts: true,
}

const PROMISES = ['promises', 'keepPromise', 'refusesLower', 'mayBegin', 'newSession'] as const
const FREEZES = [...PROMISES, 'freezes', 'isSilent', 'ofAnotherView', 'startsFrom'] as const
const CHOICES = [
  ...PROMISES,
  'keepAccepted',
  'enoughPromises',
  'enoughAccepts',
  'isChosen',
  'enoughForFirst',
] as const

const RESTS_ON: Readonly<Record<keyof Reductions, readonly (keyof Rules)[]>> = {
  ballotsByEpoch: ['nextEpoch', ...PROMISES],
  frozenViews: FREEZES,
  fences: [...FREEZES, 'fence'],
  leases: ['leaseFrom', 'closes', 'owedAtLast', 'waits', 'acknowledges'],
  says: [],
  lostBallots: CHOICES,
  facts: [...CHOICES, ...FREEZES, 'takesIn'],
}

/** Those of the reductions asked for that hold for these rules and bounds. */
export function reductionsFor(asked: Reductions, bounds: Bounds, rules: Rules): Reductions {
  const holds = (name: keyof Reductions) => asked[name] && isSound(rules, ...RESTS_ON[name])
  return {
    ballotsByEpoch: holds('ballotsByEpoch'),
    frozenViews: holds('frozenViews'),
    fences: holds('fences') && bounds.thieves.length === 0,
    leases: holds('leases') && hasOneSetOfVoters(bounds),
    says: holds('says'),
    lostBallots: holds('lostBallots') && Object.keys(bounds.wishes).length === 0,
    facts: holds('facts'),
  }
}

function hasOneSetOfVoters({ wishes, lostDisks, genesis }: Bounds): boolean {
  return Object.keys(wishes).length === 0 && lostDisks === 0 && !genesis
}

/**
 * Mistakes where a register decides views, each in the place of one decision. As with those of `rules.ts`, the judges must catch every one
 * of them, and no package has them.
 */

import { type MeetingRules, meetingRules } from '../src/protocol/meeting/meeting-rules.ts'
import type { Claim } from '../src/protocol/record.ts'

export const SOUND_MEETING: MeetingRules = { ...meetingRules }

/** What `ask` returns with these rules in force. */
export function underMeeting<Answer>(wanted: MeetingRules, ask: () => Answer): Answer {
  Object.assign(meetingRules, wanted)
  try {
    return ask()
  } finally {
    Object.assign(meetingRules, SOUND_MEETING)
  }
}

export interface BrokenMeeting {
  /** The rule of docs/meeting-places.md. */
  readonly rule: string
  readonly name: string
  readonly mistake: string
  readonly change: Partial<MeetingRules>
  /** The seed of a simulated run that shows it; null if only a scripted test does. */
  readonly seed: number | null
  /** Why no seed does. */
  readonly unseen?: string
  /** What the plan of that run is held to. */
  readonly world?: { readonly plan?: object; readonly engine?: object }
}

/** Held longer than a lease, and nothing is asked of the end. */
const SHORT = { stay: 120, end: 1400, mustEnterFrom: null }
const PAUSES = { ...SHORT, names: ['L'], pauses: 50 }

/** Many short turns at one lock, so that a view from old reports leaves somebody out. */
const BUSY = {
  names: ['L'],
  shared: 0,
  stay: 5,
  idle: 5,
  crashes: 0,
  cuts: 0,
  pauses: 0,
  leaves: 0,
  end: 1400,
  mustEnterFrom: null,
}
/** Every proposer is struck, and the others hear that their connections to it ended. */
const STRUCK = { strikes: 1, hangups: true, kernel: false, outages: 0 }

/** Calls are answered, and nobody touches the cells. */
const CALM = { outages: 0, slow: 0, unknown: 0, missing: 0, wipes: 0, restoredAt: 0 }
/** No message is lost or repeated. */
const ORDERLY = { slow: [], loss: 0, delay: 0.3, duplication: 0 }
/** Messages overtake each other by far. */
const REORDERED = { ...ORDERLY, duplication: 0.6, tail: 0.5, longest: 100 }
/** Some proposers are killed, and the kernel tells the others at once. */
const KILLED = { strikes: 0.2, kinds: ['kill'], hangups: true, kernel: true, late: 0 }

export const brokenMeetings: readonly BrokenMeeting[] = [
  {
    rule: 'M1',
    name: 'lease-from-answer',
    mistake: 'The lease counts from the answer of the engine.',
    change: { leaseFrom: (_sent, answered) => answered },
    seed: 30,
    world: {
      plan: { ...PAUSES, crashes: 0, drift: 0 },
      engine: { delay: 4, slow: 0.2, unknown: 0, outages: 0 },
    },
  },
  {
    rule: 'M1',
    name: 'unknown-renewal-counts',
    mistake: 'A renewal of unknown outcome counts.',
    change: { believesUnknown: () => true },
    seed: 96,
  },
  {
    rule: 'M1',
    name: 'refusal-ignored',
    mistake: 'A refused renewal counts: the member that sealed the row is not believed.',
    change: { heedsRefusal: () => false },
    seed: 17,
  },
  {
    rule: 'M2',
    name: 'seen-when-asked',
    mistake: 'A beat counts from when the list was asked for.',
    change: { seenFrom: (askedAt) => askedAt },
    seed: 840,
    world: {
      plan: { ...PAUSES, shared: 0, idle: 10, crashes: 0, leaves: 0, drift: 0, tail: 0 },
      engine: { ...CALM, delay: 0.3, late: 0.8, strikes: 0, kernel: false },
    },
  },
  {
    rule: 'M3',
    name: 'dead-without-seal',
    mistake: 'A row that nobody renews is over without being sealed.',
    change: { isOver: ({ since }, now, debt) => now >= since + debt },
    seed: 779,
  },
  {
    rule: 'M3',
    name: 'sealed-is-over',
    mistake: 'A sealed row is over at once.',
    change: { isOver: ({ sealed }) => sealed },
    seed: 100,
  },
  {
    rule: 'M3',
    name: 'no-drift',
    mistake: 'A lease counts as long here as there, though clocks differ.',
    change: { debt: (lease) => lease },
    seed: 10,
    world: {
      plan: { ...PAUSES, crashes: 0, drift: 0.1 },
      engine: { delay: 0.3, slow: 0, unknown: 0, outages: 0 },
    },
  },
  {
    rule: 'M3',
    name: 'list-believed',
    mistake: 'A row that a list lacks is gone.',
    change: { believesList: () => true },
    seed: 13,
  },
  {
    rule: 'M6',
    name: 'frozen-for-less',
    mistake: 'A member freezes for a lower epoch than it is frozen for.',
    change: { heeds: (begun, _frozenFor, epoch) => begun < epoch },
    seed: 630,
    world: {
      plan: { ...BUSY, ...REORDERED, stay: 10, idle: 3, nodes: 4, crashes: 60, quick: 1, renewals: 20 },
      engine: { ...CALM, ...KILLED, delay: 0.3 },
    },
  },
  {
    rule: 'M6',
    name: 'report-without-freezing',
    mistake: 'A member reports, and goes on.',
    change: { freezesFor: (_epoch, before) => before },
    seed: 5,
  },
  {
    rule: 'M6',
    name: 'thaws-though-reported',
    mistake: 'A member thaws although another proposer has its report.',
    change: { thaws: () => true },
    seed: 499,
  },
  {
    rule: 'M6',
    name: 'gives-up-a-decision',
    mistake: 'A proposer gives up an epoch that it may have decided.',
    change: { givesUp: () => true },
    seed: 392,
    world: { plan: { ...BUSY, renewals: 30 }, engine: { ...STRUCK, unknown: 0.1, slow: 0.1, delay: 4 } },
  },
  {
    rule: 'M6',
    name: 'tries-an-epoch-again',
    mistake: 'A proposer freezes members again for an epoch that it gave up.',
    change: { untried: () => 0 },
    seed: null,
    unseen:
      'A proposer that gave an epoch up ignores its own FREEZE for it, so it has no report of its own and decides nothing.',
  },
  {
    rule: 'M6',
    name: 'thaws-for-a-hope',
    mistake: 'A member thaws because nothing is decided yet, though the version is not outdated.',
    change: { isOutdated: (report, read) => report.epoch > read.epoch && report.ticket <= read.ticket },
    seed: 454,
  },
  {
    rule: 'M6',
    name: 'thaws-though-decided',
    mistake: 'A member thaws because the version is outdated, though the view was decided that outdated it.',
    change: {
      isOutdated: (report, read) =>
        report.version !== null && report.version !== read.version && report.ticket <= read.ticket,
    },
    seed: 346,
  },
  {
    rule: 'M6',
    name: 'thaws-by-an-older-read',
    mistake: 'A member thaws because of a read that was asked before it reported.',
    change: {
      isOutdated: (report, read) =>
        report.version !== null && report.version !== read.version && report.epoch > read.epoch,
    },
    seed: 706,
    world: {
      plan: { ...BUSY, ...ORDERLY, stay: 20, idle: 3, nodes: 3, renewals: 3, tail: 0.1, longest: 30 },
      engine: { ...CALM, ...STRUCK, kinds: ['reset'], delay: 0.3, late: 0.2 },
    },
  },
  {
    rule: 'M6',
    name: 'unknown-outdating-counts',
    mistake: 'A version counts as outdated though the outcome of the rewrite is unknown.',
    change: { believesOutdating: () => true },
    seed: 69,
    world: {
      plan: { ...BUSY, renewals: 30, loss: 0, nodes: 3 },
      engine: { ...STRUCK, unknown: 0.4, slow: 0, delay: 1 },
    },
  },
  {
    rule: 'M7',
    name: 'table-from-memory',
    mistake: 'The table says what the proposer remembers, and not what was reported.',
    change: {
      holdsOf: (_reported, { begun }, id) => {
        const own: Record<string, Claim[]> = {}
        for (const [name, holders] of Object.entries(begun?.table ?? {})) {
          const claims = holders.filter((holder) => holder.id === id)
          if (claims.length > 0) own[name] = claims.map(({ seat, mode, fence }) => ({ seat, mode, fence }))
        }
        return own
      },
    },
    seed: 1,
  },
  {
    rule: 'M7',
    name: 'sealed-is-left-out',
    mistake: 'One that reported is left out as soon as its row is sealed.',
    change: { staysIn: (_isOver, isSealed) => !isSealed },
    seed: null,
    unseen:
      'A second proposer has to seal a member between its report to the first one and the decision of the first one.',
  },
  {
    rule: 'M7',
    name: 'unknown-view-counts',
    mistake: 'A view of unknown outcome is begun.',
    change: { believesDecision: () => true },
    seed: 2,
  },
  {
    rule: 'M8',
    name: 'draft-believed',
    mistake: 'A member begins the draft of one proposer when another has decided.',
    change: { isDecided: () => true },
    seed: 484,
    world: {
      plan: { ...BUSY, renewals: 10, tail: 0.1, duplication: 0.2 },
      engine: { ...STRUCK, strikes: 0.6, late: 0.4, seconds: 2 },
    },
  },
  {
    rule: 'M8',
    name: 'begins-though-frozen',
    mistake: 'A member begins a view although it is frozen for a later one.',
    change: { mayBegin: ({ begun }, epoch) => (begun?.epoch ?? 0) < epoch },
    seed: 4175,
    world: {
      plan: { ...BUSY, renewals: 10, tail: 0.1, duplication: 0.2 },
      engine: { ...STRUCK, strikes: 0.6, late: 0.4, seconds: 2 },
    },
  },
  {
    rule: 'M9',
    name: 'keeps-holds',
    mistake: 'A session that is out keeps what it holds.',
    change: { dropsHolds: () => false },
    seed: 95,
  },
  {
    rule: 'M12',
    name: 'epochs-without-time',
    mistake: 'Where somebody has deleted the view, epochs begin anew.',
    change: { leastEpoch: () => 0 },
    seed: 1,
    world: { engine: { wipes: 300 } },
  },
]

/**
 * Mistakes that the judges must catch, each in the place of one decision of the protocol. They are what the rules are for: every
 * one of them was somebody's plausible protocol. They are no part of any package: tests and scripts of the repository alone put
 * them in force (`under.ts`).
 */
import { get } from '@turnwise/core/bounds'
import { advanceAll } from '../src/protocol/callers.ts'
import { grantFence } from '../src/protocol/fence.ts'
import { localName, runInstance } from '../src/protocol/instances.ts'
import type { Table, ViewRecord } from '../src/protocol/record.ts'
import type { OwnEntry, Rules } from '../src/protocol/rules.ts'
import { type Handling, isLive } from '../src/protocol/state.ts'
import { home } from '../src/protocol/view-worlds.ts'
import { SOUND } from './under.ts'

export interface BrokenRules {
  /** Its row in the table of docs/mesh-evidence.md. */
  readonly row: number
  readonly name: string
  readonly mistake: string
  readonly change: Partial<Rules>
  /** The seed of a simulated run that shows it; null where chance is too rare and a script or a test of the rule does. */
  readonly seed: number | null
  /** What the plan of that run is held to; the seed draws the rest. */
  readonly world?: Readonly<Record<string, unknown>>
}

/** One lock, held longer than a lease, while cuts and rival ballots come quickly. */
const DUELS = {
  nodes: 3,
  names: ['L'],
  renewals: 40,
  cuts: 60,
  stay: 150,
  mustEnterFrom: null,
  end: 1400,
  voters: 3,
  wishes: 0,
  leases: [],
  heedsRank: false,
  write: 0,
  suspends: 0,
  longCuts: 0,
}

/** Nothing crashes and nothing is cut. */
const CALM = {
  nodes: 3,
  crashes: 0,
  cuts: 0,
  mustEnterFrom: null,
  end: 1400,
  voters: 3,
  wishes: 0,
  leases: [],
  heedsRank: false,
}

function withTable(change: (table: Table) => Table): (record: ViewRecord) => ViewRecord {
  return (record) => ({ ...record, table: change(record.table) })
}

const withoutHolders = withTable(() => ({}))

const withoutResources = withTable((table) =>
  Object.fromEntries(
    Object.entries(table).map(([name, holders]) => [
      name,
      holders.map(({ id, seat, mode, fence }) => ({ id, seat, mode, fence })),
    ]),
  ),
)

/** Whether or not the algorithm has been told already. */
function releaseAgain(handling: Handling, { name, seat }: OwnEntry): void {
  const local = localName(handling.node, name)
  if (get(local.seats, seat).holds.length > 0) return
  runInstance(handling, name, local, get(local.seats, seat), (algorithm, state, here) =>
    algorithm.release(state, here),
  )
}

export const brokenRules: readonly BrokenRules[] = [
  {
    row: 1,
    name: 'lease-from-receipt',
    mistake: 'The lease counts from the receipt of the ack.',
    change: { leaseFrom: (_sent, received) => received },
    seed: 44,
  },
  {
    row: 2,
    name: 'no-drift-allowance',
    mistake: 'A voter counts T, not D.',
    change: { debt: (lease) => lease },
    seed: 27,
    world: { drift: 0.1, tail: 0, nodes: 3, voters: 3, leases: [] },
  },
  {
    row: 3,
    name: 'accept-at-once',
    mistake: 'INSTALL is accepted without waiting for the leases of those left out.',
    change: { waits: () => false },
    seed: 25,
  },
  {
    row: 4,
    name: 'acks-while-waiting',
    mistake: 'The wait is measured once, and acks go on meanwhile.',
    change: { closes: () => false, owedAtLast: ({ until }) => until },
    seed: 1008,
  },
  {
    row: 5,
    name: 'acks-for-anyone',
    mistake: 'Every node that sends a heartbeat is acknowledged, in the accepted record or not.',
    change: { acknowledges: () => true },
    seed: 979,
  },
  {
    row: 6,
    name: 'no-freeze',
    mistake: 'A node still lets callers in after its promise.',
    change: { freezes: ({ begun }) => begun === null },
    seed: 11,
  },
  {
    row: 7,
    name: 'speaks-when-frozen',
    mistake: 'A frozen node still sends and handles messages of the old view.',
    change: { isSilent: ({ begun }) => begun === null },
    seed: 28,
    world: { ...CALM, renewals: 40, delay: 2, stay: 10, idle: 10, shared: 0 },
  },
  {
    row: 8,
    name: 'silent-stay-in',
    mistake: 'The table comes from those who reported, but the silent ones stay members.',
    change: {
      members: (reported, highest) => [
        ...reported,
        ...highest.members.filter((member) => !reported.some(({ id }) => id === member.id)),
      ],
    },
    seed: 40,
  },
  {
    row: 9,
    name: 'no-table',
    mistake: 'A view begins without the table: every lock starts free at its home.',
    change: { startsFrom: withoutHolders },
    seed: 1,
  },
  {
    row: 10,
    name: 'late-begin',
    mistake: 'BEGIN unfreezes a node that has promised a higher epoch.',
    change: {
      mayBegin: (node, epoch) => {
        node.durable = { ...node.durable, promised: { ...node.durable.promised, epoch } }
        return true
      },
    },
    seed: 23,
  },
  {
    row: 11,
    name: 'takes-in-who-is-not-in-h',
    mistake:
      'A session that reports is taken in with its locks, even if the highest accepted record lacks it.',
    change: { takesIn: () => true },
    seed: null,
  },
  {
    row: 12,
    name: 'prepare-without-majority',
    mistake: 'One promise is enough to decide.',
    change: { enoughPromises: () => true },
    seed: null,
  },
  {
    row: 13,
    name: 'promise-in-memory',
    mistake: 'The promise is not on disk before it is told.',
    change: {
      keepPromise: ({ node }, promised) => {
        node.durable = { ...node.durable, promised }
      },
    },
    seed: null,
  },
  {
    row: 14,
    name: 'accept-in-memory',
    mistake: 'The accepted record is not on disk before it is told.',
    change: {
      keepAccepted: ({ node }, accepted) => {
        node.durable = { ...node.durable, accepted }
      },
    },
    seed: null,
  },
  {
    row: 15,
    name: 'restart-owes-nothing',
    mistake: 'A restarted voter forgets whom it acknowledged.',
    change: { owesAfterRestart: () => [] },
    seed: 8,
    world: { ...DUELS, crashes: 60, quick: 1, lostState: 0 },
  },
  {
    row: 16,
    name: 'accepts-lower',
    mistake: 'A record below the promise is accepted.',
    change: { refusesLower: () => false },
    seed: null,
  },
  {
    row: 17,
    name: 'one-accept',
    mistake: 'One accept is enough.',
    change: { enoughAccepts: (_record, among) => among.length > 0 },
    seed: 242,
  },
  {
    row: 18,
    name: 'epoch-twice',
    mistake: 'The next epoch is one above the own view, and a second ballot of an epoch is promised too.',
    change: {
      nextEpoch: (_highest, begun) => begun + 1,
      promises: (promised, epoch, ballot) =>
        epoch > promised.epoch || (epoch === promised.epoch && ballot !== promised.ballot),
    },
    seed: 77,
  },
  {
    row: 20,
    name: 'genesis-by-majority',
    mistake: 'A majority of empty disks makes the first view.',
    change: { enoughForFirst: (count, all) => 2 * count > all },
    seed: null,
  },
  {
    row: 21,
    name: 'no-joint-view',
    mistake: 'Voters are replaced at once, without a majority of the old ones.',
    change: { oldVoters: () => null },
    seed: null,
  },
  {
    row: 22,
    name: 'joint-view-ends-early',
    mistake: 'The old voters go although a member has not begun the joint view.',
    change: { isSettled: () => true },
    seed: null,
  },
  {
    row: 23,
    name: 'same-session',
    mistake: 'A restart keeps its session.',
    change: { newSession: (k) => Math.max(1, k) },
    seed: 21,
  },
  {
    row: 24,
    name: 'other-epochs',
    mistake: 'Messages of another view are handled.',
    change: { ofAnotherView: (payload) => payload },
    seed: 2,
  },
  {
    row: 25,
    name: 'home-by-suspicion',
    mistake: 'The home of a lock is computed from whom a node believes alive.',
    change: {
      home: ({ node, now }, name, ids) =>
        ids.indexOf(
          home(
            name,
            ids.filter((id) => isLive(node, id, now)),
          ),
        ),
    },
    seed: 22,
  },
  {
    row: 26,
    name: 'fence-without-epoch',
    mistake: 'The fence is the counter alone.',
    change: { fence: (_epoch, grant) => grantFence(0, grant) },
    seed: 4,
  },
  {
    row: 27,
    name: 'gone-too-early',
    mistake: 'GONE is sent before the holds are dropped.',
    change: { beforeGone: () => {} },
    seed: 10,
    world: { ...CALM, leaves: 60, delay: 0.3, stay: 150, idle: 10 },
  },
  {
    row: 28,
    name: 'releases-twice',
    mistake:
      'A hold that lapsed before a view begins is released by the lapse, and again by its entry in the table.',
    change: {
      releaseEntries: (handling, entries, giveBackEntry) => {
        entries.forEach(giveBackEntry)
        advanceAll(handling, [...handling.node.names.keys()])
        for (const entry of entries) releaseAgain(handling, entry)
      },
    },
    seed: null,
  },
  {
    row: 29,
    name: 'forgets-longest-lease',
    mistake: 'A restarted voter owes the lease of the record, though a member may have a longer one.',
    change: { remembersLease: () => false },
    seed: null,
  },
  {
    row: 30,
    name: 'blank-at-once',
    mistake: 'Empty disks make a first view at once, though their contents may be lost.',
    change: { mayBeLost: () => false, mayBeContested: () => false },
    seed: null,
  },
  {
    row: 31,
    name: 'begins-below-chosen',
    mistake: 'A node that knows that a view was chosen takes every lower one for chosen too.',
    change: { isChosen: (epoch, chosen) => epoch <= chosen },
    seed: null,
  },
  {
    row: 32,
    name: 'begins-unfit',
    mistake: 'A view begins with more members than the settings of its algorithm allow.',
    change: { misfit: () => null },
    seed: 28,
    world: { ...CALM, algorithm: 'ricart-agrawala modulus=3', names: ['L'], shared: 0 },
  },
  {
    row: 33,
    name: 'fades-at-once',
    mistake:
      'A voter forgets the longest lease as soon as no member uses it, though a lease that it acknowledged may still run.',
    change: { mayFade: () => true },
    seed: null,
  },
  {
    row: 34,
    name: 'forgets-names-of-group',
    mistake: 'The table says who is inside a group, but not with which of its names: all of them begin free.',
    change: { startsFrom: withoutResources },
    seed: 1,
    world: { names: ['&a,b,c=G'] },
  },
  {
    row: 35,
    name: 'stamps-late',
    mistake: 'A voter writes its stamp some time after the ack leaves, and not before.',
    change: { stamp: (until, now, ahead) => (now <= until + ahead ? until : now) },
    seed: 166,
    world: { ...DUELS, crashes: 60, quick: 1, lostState: 0, stamps: 1 },
  },
  {
    row: 36,
    name: 'contested-first-view',
    mistake: 'Voters make a first view although a peer was told other voters, none of them the same.',
    change: { isContested: () => false },
    seed: null,
  },
  {
    row: 37,
    name: 'first-view-unmet',
    mistake:
      'The word that nothing ran before lets voters make a first view before they have heard the other peers.',
    change: { mayBeContested: () => false },
    seed: null,
  },
]

export function broken(name: string): Rules {
  const variant = brokenRules.find((each) => each.name === name)
  if (variant === undefined) throw new Error(`no broken rule "${name}"`)
  return { ...SOUND, ...variant.change }
}

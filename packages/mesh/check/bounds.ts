/** How far an exploration goes. Within its bounds it sees everything; beyond them it has seen nothing. */
import type { Id } from '../src/protocol/record.ts'

export interface Bounds {
  readonly nodes: readonly Id[]
  /** Who of them votes. */
  readonly voters: readonly Id[]
  /**
   * R21: whether the operator's word is given that nothing ran before, so that empty disks wait for nothing. Without it their
   * epochs are above all that may have been used (R26), so any is open to whom `ballots` names.
   */
  readonly firstStart: boolean
  /** Whether it starts with empty disks (R21), or when all have begun view 1. */
  readonly genesis: boolean
  /** No ballot above this epoch. */
  readonly epochs: number
  /** Who may propose, at any moment: elections and backoff are replaced by every possible choice. */
  readonly proposers: readonly Id[]
  /** Who of them proposes which epoch, by name or with which disk, where each epoch has one proposer; null where every epoch is open to all. */
  readonly ballots: Readonly<Record<number, Id>> | null
  /** Whose callers ask for the lock, and how often. Without one, time does not matter and leases are left out. */
  readonly asks: Readonly<Record<Id, number>>
  /** Whose callers steal it. */
  readonly thieves: readonly Id[]
  /** Who of them has asked already when the exploration starts. */
  readonly waiting: readonly Id[]
  /** Whether heartbeats are acknowledged also while no caller waits or holds. */
  readonly spareLeases: boolean
  /** T in ticks. */
  readonly lease: number
  /** T of those who are set to another. */
  readonly leases: Readonly<Record<Id, number>>
  /** ρ; nodes listed in `slow` may each miss one tick. */
  readonly drift: number
  readonly slow: readonly Id[]
  /** How often the global clock moves on; null for any number of times. */
  readonly ticks: number | null
  /** Whether heartbeats and acks may be late; otherwise they arrive in the tick in which they were sent, or never. */
  readonly delays: boolean
  /** Whether heartbeats that are not acknowledged are heard, and tell who has begun which view (R15). */
  readonly catchUp: boolean
  /** Whether a proposer may leave out some of those who report to it, as if a link of theirs worked one way only (R8). */
  readonly doubts: boolean
  readonly restarts: number
  /** How many disks are lost, and whose may be. */
  readonly lostDisks: number
  readonly losers: readonly Id[]
  /** Which voters somebody wishes for from the start (R23). */
  readonly wishes: Readonly<Record<Id, readonly Id[]>>
  /** Who may leave (R22). */
  readonly leavers: readonly Id[]
  /** In this order nodes are home to the lock: the first of those in the view. */
  readonly homes: readonly Id[]
}

const TIMELESS: Bounds = {
  nodes: ['v', 'w', 'x'],
  voters: ['v', 'w', 'x'],
  firstStart: true,
  genesis: false,
  epochs: 3,
  proposers: ['w', 'x'],
  ballots: null,
  asks: {},
  thieves: [],
  spareLeases: true,
  waiting: [],
  lease: 1,
  leases: {},
  drift: 0,
  slow: [],
  ticks: 0,
  delays: false,
  catchUp: true,
  doubts: false,
  restarts: 0,
  lostDisks: 0,
  losers: ['v', 'w', 'x'],
  wishes: {},
  leavers: [],
  homes: ['x', 'w', 'v'],
}

const TIMED: Bounds = { ...TIMELESS, asks: { w: 1, x: 1 }, ticks: null }

/** As `TIMED`, and small: x, home of the lock, has a caller from the start, and views are heard of from their proposer. */
const LEAN: Bounds = {
  ...TIMED,
  catchUp: false,
  waiting: ['x'],
  spareLeases: false,
  ballots: { 2: 'w', 3: 'x' },
}

/** w shall be the only voter. */
const WISH: Bounds = { ...TIMELESS, catchUp: false, wishes: { w: ['w'] } }

/** Of two only v votes, and it loses its disk: who holds the lock by its word is not left out before its lease is over (R21). */
const BLANK: Bounds = {
  ...LEAN,
  nodes: ['v', 'x'],
  voters: ['v'],
  proposers: ['v'],
  ballots: { 2: 'v1', 3: 'v2' },
  asks: { v: 1, x: 1 },
  firstStart: false,
  lostDisks: 1,
  losers: ['v'],
  homes: ['x', 'v'],
}

const DISK: Bounds = { ...LEAN, asks: { x: 1 }, lostDisks: 1, losers: ['v'], ticks: 0 }

/**
 * The instances that are explored in seconds, in every run of the tests, with the number of worlds. If it falls, the search visits
 * less than before, and the author of the change to the code or the explorer has to know why.
 */
export const QUICK_WORLDS: Readonly<Record<string, number>> = {
  'ballots-2': 1_207,
  'ballots-2-doubts': 8_183,
  'ballots-2-restart': 43_780,
  'ballots-3-lean': 10_891,
  'ballots-3-wish': 5_865,
  'genesis-1': 36,
  'locks-1-thief': 318,
  'locks-2-lean': 15_265,
  'locks-2-lean-x': 16_367,
  'locks-2-member': 2_419,
  'locks-3-blank': 3_183,
}
export const QUICK = Object.keys(QUICK_WORLDS)

export const BOUNDS: Readonly<Record<string, Bounds>> = {
  // Without time: who promised, accepted and began what.
  'ballots-2': { ...TIMELESS, epochs: 2 },
  'ballots-2-restart': { ...TIMELESS, epochs: 2, restarts: 1 },
  'ballots-2-doubts': { ...TIMELESS, epochs: 2, doubts: true },
  'ballots-3-doubts': { ...TIMELESS, catchUp: false, ballots: { 2: 'w', 3: 'x' }, doubts: true },
  'ballots-3-wish': { ...WISH, ballots: { 2: 'w', 3: 'x' } },
  'ballots-4-wish': { ...WISH, epochs: 4, ballots: { 2: 'w', 3: 'x', 4: 'w' } },
  'ballots-2-disk': { ...TIMELESS, epochs: 2, lostDisks: 1 },
  'ballots-3': TIMELESS,
  'ballots-3-restart': { ...TIMELESS, restarts: 1 },
  'ballots-3-lean': { ...TIMELESS, catchUp: false, ballots: { 2: 'w', 3: 'x' } },
  'ballots-3-lean-restart': { ...TIMELESS, catchUp: false, ballots: { 2: 'w', 3: 'x' }, restarts: 1 },
  'ballots-4-lean': { ...TIMELESS, epochs: 4, catchUp: false, ballots: { 2: 'w', 3: 'x', 4: 'w' } },
  'ballots-4-lean-disk': {
    ...TIMELESS,
    epochs: 4,
    catchUp: false,
    ballots: { 2: 'w', 3: 'w', 4: 'w' },
    lostDisks: 1,
  },
  'genesis-1': { ...TIMELESS, genesis: true, epochs: 1 },
  'genesis-2': { ...TIMELESS, genesis: true, epochs: 2 },
  'genesis-2-disk': { ...TIMELESS, genesis: true, epochs: 2, lostDisks: 1 },
  // With time, leases and one lock.
  'locks-1-thief': { ...LEAN, epochs: 1, thieves: ['w'] },
  'locks-2-lean': { ...LEAN, epochs: 2 },
  'locks-2-doubts': { ...LEAN, epochs: 2, doubts: true },
  'locks-2-member': { ...LEAN, epochs: 2, voters: ['v', 'w'] },
  'locks-3-doubts': { ...LEAN, asks: { x: 1 }, doubts: true },
  'locks-3-wish': { ...LEAN, ballots: { 2: 'w', 3: 'w' }, asks: { x: 1 }, wishes: { w: ['w'] } },
  'locks-2-thief': { ...LEAN, epochs: 2, thieves: ['w'] },
  'locks-2-thieves': { ...LEAN, epochs: 2, thieves: ['w', 'x'], waiting: [] },
  'locks-2-longer': { ...LEAN, epochs: 2, leases: { x: 2 }, asks: { x: 1 }, restarts: 1 },
  'locks-3-blank': BLANK,
  'locks-2-lean-2': { ...LEAN, epochs: 2, lease: 2 },
  'locks-2': { ...TIMED, epochs: 2 },
  'locks-2-lean-x': { ...LEAN, epochs: 2, ballots: { 2: 'x' } },
  'locks-2-ask': { ...LEAN, epochs: 2, waiting: [] },
  'locks-2-late': { ...LEAN, epochs: 2, lease: 2, delays: true, asks: { x: 1 } },
  'locks-2-late-both': { ...LEAN, epochs: 2, lease: 2, delays: true },
  'locks-2-drift': { ...LEAN, epochs: 2, lease: 2, drift: 0.2, slow: ['x'] },
  'locks-2-restart': { ...LEAN, epochs: 2, restarts: 1 },
  'locks-2-x-restart': { ...LEAN, epochs: 2, restarts: 1, asks: { x: 1 } },
  'locks-2-heard-restart': { ...LEAN, epochs: 2, restarts: 1, catchUp: true },
  'locks-2-leave': { ...LEAN, epochs: 2, leavers: ['x'] },
  'locks-3': TIMED,
  'locks-3-wx': LEAN,
  'locks-3-x': { ...LEAN, asks: { x: 1 } },
  'locks-3-xw': { ...LEAN, ballots: { 2: 'x', 3: 'w' } },
  'locks-3-ww': { ...LEAN, ballots: { 2: 'w', 3: 'w' } },
  'locks-3-xx': { ...LEAN, ballots: { 2: 'x', 3: 'x' } },
  'locks-3-restart': { ...LEAN, restarts: 1 },
  // L4 needs one who holds, and a view without it: two rivals for every epoch, and a restart, with one caller.
  'locks-3-heard-x': { ...LEAN, asks: { x: 1 }, catchUp: true },
  'locks-3-restart-x': { ...LEAN, asks: { x: 1 }, restarts: 1 },
  'locks-3-disk-x': { ...LEAN, asks: { x: 1 }, lostDisks: 1, losers: ['v'] },
  'locks-3-rivals': { ...LEAN, ballots: null },
  'locks-3-rivals-x': { ...LEAN, ballots: null, asks: { x: 1 } },
  'locks-3-rivals-x-2': { ...LEAN, ballots: null, asks: { x: 1 }, lease: 2 },
  'locks-3-rivals-restart-x': { ...LEAN, ballots: null, asks: { x: 1 }, restarts: 1 },
  'locks-3-rivals-restart-x-2': { ...LEAN, ballots: null, asks: { x: 1 }, restarts: 1, lease: 2 },
  // Everything within one tick: a voter with another disk, and the lease that rests on the old one.
  'disk-3': { ...DISK, ballots: { 2: 'w', 3: 'w' } },
  'disk-4': { ...DISK, epochs: 4, ballots: { 2: 'w', 3: 'w', 4: 'w' } },
}

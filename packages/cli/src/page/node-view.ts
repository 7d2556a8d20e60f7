/**
 * What the page shows of one daemon: how its node stands, and who holds and waits as the members answer. They are asked
 * while somebody looks, once a second at most; what they answered last stays until they answer again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveHappening, LiveLock, LiveNode, LiveView } from '@turnwise/lab/live/live-view'
import type { Caller, NameOverview, NodeStatus } from '@turnwise/mesh/daemon/control-messages'
import { monotonic } from '@turnwise/mesh/lease/clock'
import type { MeshMetrics } from '@turnwise/mesh/observe/metrics'
import type { Overview } from './overview.ts'
import { Rate } from './rate.ts'

export interface WatchedNode {
  readonly happenings: readonly LiveHappening[]
  readonly recordings: readonly { readonly name: string; readonly file: string }[]
  status(): NodeStatus
  /** Null until it has joined. */
  metrics(): MeshMetrics | null
  /** As all members answer; while a view is being made that can take as long as the view. */
  overview(): Promise<Overview>
}

const ASK_EVERY_MS = 1000
/** What takes longer is shown when it comes. */
const PATIENCE_MS = 250
const MOST_LOCKS = 100
const MOST_WAITERS = 50
const MOST_NOTES = 10

export class NodeWatch {
  readonly #node: WatchedNode
  readonly #now: () => number
  readonly #turns = new Rate()
  readonly #messages = new Rate()
  #locks: readonly NameOverview[] = []
  #circles: readonly string[] = []
  #told: number | null = null
  #asked = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | null = null

  constructor(node: WatchedNode, now: () => number = monotonic) {
    this.#node = node
    this.#now = now
  }

  async view(): Promise<LiveView> {
    const asking = this.#ask()
    if (asking !== null) await Promise.race([asking, sleep(PATIENCE_MS, undefined, { ref: false })])
    const now = this.#now()
    const status = this.#node.status()
    const metrics = this.#node.metrics()
    const turns = metrics?.prefixes.reduce((sum, prefix) => sum + prefix.turns, 0) ?? null
    const turnsPerSecond = turns === null ? null : this.#turns.perSecond(now, turns)
    return {
      title: `node ${status.id}`,
      algorithm: metrics?.status.algorithm ?? null,
      lease: status.lease,
      view: status.epoch === null ? null : { epoch: status.epoch, members: status.members },
      place: status.place,
      nodes: (status.place === null ? status.peers : presentAt(status)).map((id) =>
        id === status.id ? { ...ownRow(status), turns, turnsPerSecond } : otherRow(id, status),
      ),
      locks: this.#locks.slice(0, MOST_LOCKS).map(lockRow),
      locksAge: this.#told === null ? null : now - this.#told,
      more: Math.max(0, this.#locks.length - MOST_LOCKS),
      circles: this.#circles,
      figuresOf: status.id,
      turnsPerSecond,
      messagesPerSecond: metrics === null ? null : this.#messages.perSecond(now, metrics.status.sent),
      happenings: this.#node.happenings,
      recorded: this.#node.recordings.map(({ name }) => name),
    }
  }

  /** The question that is open, or a new one if it is time; null if what is known is new enough. */
  #ask(): Promise<void> | null {
    const asked = this.#now()
    if (this.#asking !== null || asked < this.#asked + ASK_EVERY_MS) return this.#asking
    this.#asked = asked
    this.#asking = this.#node
      .overview()
      .then(
        ({ names, circles }) => {
          this.#locks = names
          this.#circles = circles
          this.#told = asked
        },
        // Without a majority nobody is asked: what is shown gets old, and says so.
        () => {},
      )
      .finally(() => {
        this.#asking = null
      })
    return this.#asking
  }
}

/** At a meeting place who is there is a member, or is this node and joins. */
function presentAt({ id, members }: NodeStatus): readonly string[] {
  return members.includes(id) ? members : [id, ...members]
}

function ownRow({
  id,
  joined,
  members,
  zones,
  leaseLeft,
}: NodeStatus): Omit<LiveNode, 'turns' | 'turnsPerSecond'> {
  const isIn = members.includes(id)
  const state = !joined ? 'joining' : isIn && leaseLeft > 0 ? 'in view' : 'left out'
  return { id, state, isIn, zone: zones[id] ?? null, leaseLeft, deeds: [] }
}

/** Its lease and its turns are known to itself alone. */
function otherRow(id: string, { members, missing, zones }: NodeStatus): LiveNode {
  const isIn = members.includes(id)
  const isAway = missing.includes(id)
  const state = isIn ? (isAway ? 'not heard' : 'in view') : isAway ? 'missing' : 'there'
  return {
    id,
    state,
    isIn,
    zone: zones[id] ?? null,
    leaseLeft: null,
    deeds: [],
    turns: null,
    turnsPerSecond: null,
  }
}

/** Of very many callers the first. */
function notesOf(holders: readonly Caller[], waiters: readonly Caller[]): string[] {
  const told = (does: string, all: readonly Caller[]) =>
    all
      .filter(({ info }) => info !== null)
      .map(({ node, age, info }) => `${node} ${does} for ${(age / 1000).toFixed(1)} s: ${info}`)
  return [...told('holds', holders), ...told('waits', waiters)].slice(0, MOST_NOTES)
}

/** Of a group with the names. */
function whoIn({ node, names }: Caller): string {
  return names === undefined ? node : `${node} (${names.join(', ')})`
}

function lockRow({ name, kind, holders, waiters }: NameOverview): LiveLock {
  return {
    name: kind === 'lock' ? name : `${name} (${kind})`,
    holders: holders.map(whoIn),
    waiters: waiters.slice(0, MOST_WAITERS).map(whoIn),
    waiting: waiters.length,
    notes: notesOf(holders, waiters),
    // Those who came last stand last.
    fence: holders.at(-1)?.fence ?? null,
    turns: null,
  }
}

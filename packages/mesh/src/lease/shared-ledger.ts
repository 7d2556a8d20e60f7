/** The program's side of the shared memory: who may be acknowledged, what is owed, and what voters acknowledged to this node. */
import type { Ledger } from '../protocol/ledger.ts'
import {
  type Id,
  type Roster,
  type Session,
  sessionKey,
  type Voter,
  type VoterId,
  votersOf,
} from '../protocol/record.ts'
import { isEnded, lastView, type Node } from '../protocol/state.ts'
import type { Slots } from './keeper.ts'
import { type LeaseMemory, SESSIONS, VOTERS } from './shared-memory.ts'
import type { Stamp } from './stamp.ts'

interface Place {
  readonly id: Id
  readonly session: Session
  readonly slot: number
  readonly tag: number
}

export class SharedLedger implements Ledger {
  /** The stamp of the voter; null without one. It has a file before any session may be acknowledged. */
  stamp: Stamp | null = null
  readonly #memory: LeaseMemory
  readonly #publish: (slots: Slots) => void
  readonly #places = new Map<string, Place>()
  readonly #voters = new Map<VoterId, { readonly slot: number; readonly id: Id }>()
  #tags = 0
  #life = 0
  /** The record and the session that the places were made for. */
  #accepted: Roster | null = null
  #session: Session | null = null
  /** What `follow` last saw. */
  #followed: Partial<Pick<Node, 'durable' | 'closing' | 'inUse' | 'begun'>> = {}

  constructor(memory: LeaseMemory, publish: (slots: Slots) => void) {
    this.#memory = memory
    this.#publish = publish
  }

  /** R13: forbid first, read second. */
  close(record: Roster): readonly (readonly [string, number])[] {
    const members = new Set(record.members.map(({ session }) => sessionKey(session)))
    const owed: [string, number][] = []
    for (const [key, { slot }] of this.#places) {
      if (members.has(key)) continue
      this.#memory.forbid(slot)
      const until = this.#memory.owed(slot)
      if (until !== null) owed.push([key, until])
    }
    return owed
  }

  /** Before an event: acks that the lease thread received count, even if their messages are still queued. */
  collect(node: Node): void {
    // The cells still have the acks of the last session (R7).
    if (this.#session?.k !== node.durable.k) return
    for (const [voterId, { slot }] of this.#voters) {
      const at = this.#memory.acked(this.#life, slot)
      if (at === null || at < node.started) continue
      if (at > (node.acked[voterId] ?? Number.NEGATIVE_INFINITY)) node.acked[voterId] = at
    }
  }

  /** The program's thread moves. */
  alive(now: number): void {
    this.#memory.mainAlive = now
  }

  /** The program's thread is at the node's own work, or no longer. */
  works(is: boolean): void {
    this.#memory.isWorking = is
  }

  /** The clock cannot be trusted, so earlier acks count for nothing. */
  distrust(node: Node): void {
    this.#life += 1
    this.#memory.beginLife(this.#life)
    this.#tell(node)
  }

  /** R19: from here on the lease thread acknowledges no longer lease, so that a longer one can be forgotten. */
  #shorten(leaseMs: number): void {
    if (leaseMs < this.#memory.longest) this.#memory.longest = leaseMs
  }

  /** After an event. Whom the thread may acknowledge depends on the disk, and on the record that waits to be accepted. */
  follow(node: Node, isOnDisk: boolean): void {
    const { durable, closing, inUse, begun } = node
    const before = this.#followed
    // This does not wait for the disk: the time after which a long lease is forgotten has begun.
    if (inUse !== before.inUse) this.#shorten(inUse)
    if (!isOnDisk) return
    const isSame = durable === before.durable && closing === before.closing && inUse === before.inUse
    if (isSame && begun === before.begun) return
    this.#followed = { durable, closing, inUse, begun }
    this.settle(node)
  }

  /** After an event whose state is on disk: R2 and R4 for the lease thread. */
  settle(node: Node): void {
    const { accepted, voterId, k, longest } = node.durable
    this.#memory.longest = Math.min(longest, node.inUse)
    const isNewLife = this.#session?.k !== k
    if (isNewLife) {
      this.#life += 1
      this.#memory.beginLife(this.#life)
      this.#session = { voterId, k }
    }
    const isNewView = this.#accepted !== accepted
    if (isNewView && accepted !== null) this.#place(accepted)
    this.#accepted = accepted
    // A node that does not vote accepts no record, but voters acknowledge it in the view that it has begun.
    const view = lastView(node)
    const hasOtherVoters = view !== null && this.#seat(votersOf(view).slice(0, VOTERS))
    if (isNewLife || isNewView || hasOtherVoters) this.#tell(node)
    this.#permit(node)
  }

  /** Gives cells to these voters, and returns whether they are others than before. A cell then means another voter. */
  #seat(voters: readonly Voter[]): boolean {
    const ids = new Set(voters.map(({ voterId }) => voterId))
    if (ids.size === this.#voters.size && voters.every(({ voterId }) => this.#voters.has(voterId)))
      return false
    this.#voters.clear()
    for (const { id, voterId } of voters) {
      if (!this.#voters.has(voterId)) this.#voters.set(voterId, { slot: this.#voters.size, id })
    }
    this.#life += 1
    this.#memory.beginLife(this.#life)
    return true
  }

  /** Gives slots to the sessions that may be acknowledged from now on. A slot is reused when nothing is owed from it. */
  #place(accepted: Roster): void {
    const members = new Map(accepted.members.map((member) => [sessionKey(member.session), member]))
    for (const [key, { slot }] of this.#places) {
      if (members.has(key)) continue
      this.#memory.forbid(slot)
      if (this.#places.size > SESSIONS / 2) this.#places.delete(key)
    }
    const used = new Set([...this.#places.values()].map(({ slot }) => slot))
    for (const [key, { id, session }] of members) {
      if (this.#places.has(key)) continue
      const slot = firstFree(used, SESSIONS)
      // Without a slot, only the program's own thread acknowledges.
      if (slot === null) continue
      used.add(slot)
      this.#tags += 1
      this.#memory.clearDebt(slot)
      this.#places.set(key, { id, session, slot, tag: this.#tags })
    }
  }

  #tell({ durable, config }: Node): void {
    this.#publish({
      life: this.#life,
      voterId: durable.voterId,
      driftFraction: config.settings.drift,
      voters: new Map(this.#voters),
      sessions: new Map([...this.#places].map(([key, { id, slot, tag }]) => [key, { id, slot, tag }])),
      stamp: this.stamp?.place ?? null,
    })
  }

  #permit(node: Node): void {
    const { closing, durable } = node
    for (const [key, { session, slot, tag }] of this.#places) {
      const isMember = (roster: Roster) => roster.members.some((member) => sessionKey(member.session) === key)
      const isAllowed =
        durable.accepted !== null &&
        isMember(durable.accepted) &&
        (closing === null || isMember(closing.record)) &&
        !isEnded(node, session)
      if (isAllowed) this.#memory.allow(slot, tag)
      else this.#memory.forbid(slot)
    }
  }
}

function firstFree(used: ReadonlySet<number>, count: number): number | null {
  for (let slot = 0; slot < count; slot += 1) if (!used.has(slot)) return slot
  return null
}

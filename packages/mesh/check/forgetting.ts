/** Of a world, what nobody will ever ask for: see `Reductions`. Single processes forget in process.ts. */
import { get, intAt } from '@turnwise/core/bounds'
import { includesSession, type Roster } from '../src/protocol/record.ts'
import { type Node, sessionOf } from '../src/protocol/state.ts'
import type { Draft } from './draft.ts'
import type { Fact } from './items.ts'
import type { Machine } from './machine.ts'

export class Forgetting {
  readonly #machine: Machine
  readonly #draft: Draft
  readonly #leases: number[]
  readonly #n: number
  /** Those of the world, with their numbers. */
  #facts: [number, Fact][] = []

  constructor(machine: Machine, draft: Draft) {
    this.#machine = machine
    this.#draft = draft
    this.#n = machine.bounds.nodes.length
    this.#leases = machine.bounds.nodes.map(() => 0)
  }

  forget(): void {
    const { reductions } = this.#machine
    if (reductions.lostBallots || reductions.facts) this.#readFacts()
    if (reductions.lostBallots) {
      this.#lostProposals()
      this.#lostRecords()
      this.#ownersOfPromises()
    }
    if (reductions.fences || reductions.facts) this.#past()
    this.#debts()
  }

  #node(p: number): Node {
    return get(this.#machine.processes.list, intAt(this.#draft.next, p)).node
  }

  /**
   * What is owed to sessions that hold nothing and never will; and, where acks are not under way, what a voter owes for no ack that
   * counts in a lease (it owes because it restarted, or the ack is too old). It may then accept sooner: more can happen.
   */
  #debts(): void {
    const machine = this.#machine
    const { next } = this.#draft
    const { bounds, reductions } = machine
    const counted = reductions.leases && !bounds.delays
    for (let q = 0; q < this.#n; q += 1) {
      const { voterId } = this.#node(q).durable
      let key = 0
      for (let p = 0; p < this.#n; p += 1) {
        const isOwed = !counted || voterId in this.#node(p).acked
        this.#leases[p] = isOwed ? machine.traitsOf(intAt(next, p)).lease : 0
        key = key * 64 + get(this.#leases, p)
      }
      next[q] = machine.withoutDebts(intAt(next, q), this.#leases, key)
    }
  }

  #lostProposals(): void {
    for (let p = 0; p < this.#n; p += 1) {
      const { proposal } = this.#node(p)
      if (proposal === null) continue
      const { record, epoch, ballot } = proposal
      const isLost = record === null ? !this.#mayDecide(epoch, ballot) : !this.#mayBeChosen(record, ballot)
      if (isLost) this.#forgetAt(p, 'proposal')
    }
  }

  /** Whether more than its proposer can still report to a ballot: every set of voters here has as many as the bounds name. */
  #mayDecide(epoch: number, ballot: string): boolean {
    let reports = 0
    for (let q = 0; q < this.#n; q += 1) {
      const { promised } = this.#node(q).durable
      const isOpen = promised.epoch < epoch || (promised.epoch === epoch && promised.ballot === ballot)
      if (isOpen || this.#hasReported(q, ballot)) reports += 1
    }
    return 2 * reports > this.#machine.bounds.voters.length
  }

  #hasReported(q: number, ballot: string): boolean {
    const { next, header, size } = this.#draft
    const { items, isGathered, bounds } = this.#machine
    for (let i = header; i < size; i += 1) {
      if (!isGathered[intAt(next, i)]) continue
      const item = get(items.list, intAt(next, i))
      if ('to' in item && item.from === bounds.nodes[q] && 'ballot' in item.message) {
        if (item.message.ballot === ballot) return true
      }
    }
    return false
  }

  /** Whether those who have accepted a record, or still can, are enough. */
  #mayBeChosen(record: Roster, ballot: string): boolean {
    const voters: string[] = []
    for (const [, fact] of this.#facts) {
      if (!('ballot' in fact) || fact.ballot !== ballot || fact.record.epoch !== record.epoch) continue
      if (fact.fact === 'chosen') return true
      if (fact.fact === 'accepted') voters.push(fact.voterId)
    }
    for (let q = 0; q < this.#n; q += 1) {
      const { promised, voterId } = this.#node(q).durable
      if (promised.epoch < record.epoch) voters.push(voterId)
      else if (promised.epoch === record.epoch && promised.ballot === ballot) voters.push(voterId)
    }
    return this.#machine.rules.enoughAccepts(record, voters)
  }

  #lostRecords(): void {
    for (let p = 0; p < this.#n; p += 1) {
      const { installed, begun } = this.#node(p)
      if (installed === null || installed.record.epoch <= (begun?.epoch ?? 0)) continue
      if (!this.#mayBeChosen(installed.record, installed.ballot)) this.#forgetAt(p, 'installed')
    }
    for (const [number, fact] of this.#facts) {
      if (fact.fact !== 'accepted') continue
      if (!this.#mayBeChosen(fact.record, fact.ballot)) this.#draft.remove(number)
    }
  }

  /** Asked when its proposer speaks again, by INSTALL or by PREPARE, to whose answer only a living proposal listens. */
  #ownersOfPromises(): void {
    for (let p = 0; p < this.#n; p += 1) {
      const { durable, closing } = this.#node(p)
      const { ballot } = durable.promised
      if (ballot === '' || closing?.ballot === ballot || this.#isLiving(p, ballot)) continue
      this.#forgetAt(p, 'ballot')
    }
  }

  #isLiving(p: number, ballot: string): boolean {
    for (let q = 0; q < this.#n; q += 1) if (this.#node(q).proposal?.ballot === ballot) return true
    const { next, header, size } = this.#draft
    const { installs, receivers } = this.#machine
    for (let i = header; i < size; i += 1) {
      if (receivers[intAt(next, i)] === p && installs[intAt(next, i)] === ballot) return true
    }
    return false
  }

  /** The last fence, and facts: when everybody has promised a higher epoch. */
  #past(): void {
    const draft = this.#draft
    if (!draft.remembers) return
    const { reductions, isTimeless } = this.#machine
    let lowest = Number.POSITIVE_INFINITY
    for (let p = 0; p < this.#n; p += 1) {
      lowest = Math.min(lowest, this.#machine.traitsOf(intAt(draft.next, p)).promised)
    }
    if (reductions.fences && draft.fence < 1024 * lowest) draft.fence = 0
    if (!reductions.facts || isTimeless) return
    for (const [number, fact] of this.#facts) {
      if (fact.fact === 'chosen' && fact.record.epoch < lowest && !this.#concernsAnybody(fact.record)) {
        draft.remove(number)
      }
    }
  }

  /** L4: whether somebody is in a view before this one and not in it. Without a view one begins what it promised, or later. */
  #concernsAnybody(record: Roster): boolean {
    for (let p = 0; p < this.#n; p += 1) {
      const node = this.#node(p)
      if (node.begun === null || node.begun.epoch >= record.epoch) continue
      if (!includesSession(record, sessionOf(node))) return true
    }
    return false
  }

  #forgetAt(p: number, what: 'proposal' | 'installed' | 'ballot'): void {
    const { next } = this.#draft
    next[p] = this.#machine.without(intAt(next, p), what)
    this.#draft.settle(p)
  }

  #readFacts(): void {
    const { next, header, size } = this.#draft
    const { receivers, items } = this.#machine
    this.#facts = []
    for (let i = header; i < size; i += 1) {
      if (get(receivers, intAt(next, i)) < 0)
        this.#facts.push([intAt(next, i), items.list[intAt(next, i)] as Fact])
    }
  }
}

/** What is asked of every world: E and the lemmas L1 to L4 of the proof. F is asked of every grant. */

import { get, intAt } from '@turnwise/core/bounds'
import {
  includesSession,
  isMajority,
  type Roster,
  type Session,
  sameSession,
} from '../src/protocol/record.ts'
import { type Node, sessionOf } from '../src/protocol/state.ts'
import { exclusion } from '../test/simulation/judge.ts'
import type { Finding } from './draft.ts'
import type { Fact } from './items.ts'
import type { Machine } from './machine.ts'

type FactOf<Kind extends Fact['fact']> = Extract<Fact, { fact: Kind }>

interface Entry {
  readonly fault: Finding | null
  readonly added: readonly number[]
  readonly dropped: readonly number[]
}

export class Lemmas {
  readonly #machine: Machine

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** What a new fact adds to the set, and whether it contradicts what is there. */
  enter(number: number, fact: Fact, world: Int32Array, from: number, to: number): Entry {
    const facts = this.#factsIn(world, from, to)
    if (facts.some((each) => each.number === number)) return { fault: null, added: [], dropped: [] }
    if (fact.fact !== 'accepted') {
      const all = [...facts.map((each) => each.fact), fact]
      return { fault: this.#lemmas(all), added: [number], dropped: [] }
    }
    const isSame = (other: Fact) =>
      'ballot' in other && other.ballot === fact.ballot && other.record.epoch === fact.record.epoch
    if (facts.some((each) => each.fact.fact === 'chosen' && isSame(each.fact)))
      return { fault: null, added: [], dropped: [] }
    const accepts = facts.filter((each) => each.fact.fact === 'accepted' && isSame(each.fact))
    const voters = [...accepts.map((each) => (each.fact as FactOf<'accepted'>).voterId), fact.voterId]
    if (!isMajority(fact.record, voters)) return { fault: null, added: [number], dropped: [] }
    const chosen: Fact = { fact: 'chosen', record: fact.record, ballot: fact.ballot }
    const all = [...facts.map((each) => each.fact), chosen]
    const dropped = accepts.map((each) => each.number)
    return { fault: this.#lemmas(all), added: [this.#machine.numberOf(chosen)], dropped }
  }

  /** What the runs are meant to contain. */
  noticed(fact: Fact, added: readonly number[], world: Int32Array): string[] {
    if (fact.fact !== 'accepted' || added.length === 0) return []
    const { items, processes, bounds } = this.#machine
    const chosen = get(items.list, get(added, 0))
    if (!('fact' in chosen) || chosen.fact !== 'chosen') return []
    const nodes = bounds.nodes.map((_, p) => get(processes.list, intAt(world, p)).node)
    const found: string[] = []
    for (const node of nodes) {
      if (node.holding > 0 && !includesSession(chosen.record, sessionOf(node))) {
        found.push('a member is left out while it holds')
      }
    }
    if (
      nodes.every(({ begun, durable }) => durable.k === 1 && (begun?.epoch ?? 0) < chosen.record.epoch - 1)
    ) {
      found.push('a view is chosen while the one before was begun by nobody')
    }
    return found
  }

  /** At which of its points a proposer dies. */
  proposerDies(
    { proposal }: Node,
    world: Int32Array,
    from: number,
    to: number,
    sometimes: Map<string, number>,
  ): void {
    if (proposal === null) return
    const facts = this.#factsIn(world, from, to).map((each) => each.fact)
    const has = (kind: Fact['fact']) =>
      facts.some((fact) => fact.fact === kind && 'ballot' in fact && fact.ballot === proposal.ballot)
    const point =
      proposal.record === null
        ? 'before INSTALL'
        : has('chosen')
          ? 'after it was chosen, before BEGIN'
          : has('accepted')
            ? 'after some accepts'
            : 'after INSTALL, before any accept'
    const what = `a proposer dies ${point}`
    sometimes.set(what, (sometimes.get(what) ?? 0) + 1)
  }

  /** E and L4. */
  judge(world: Int32Array, from: number, to: number): Finding | null {
    const { bounds, processes, lock } = this.#machine
    const valid: Node[] = []
    for (let p = 0; p < bounds.nodes.length; p += 1) {
      if (this.#machine.traitsOf(intAt(world, p)).isValid)
        valid.push(get(processes.list, intAt(world, p)).node)
    }
    if (valid.length === 0) return null
    if (valid.length > 1) {
      const both = exclusion(
        valid.map((node) => ({ node, clock: 0 })),
        [lock],
      )
      if (both !== null) return { property: 'E', reason: both }
    }
    for (const { fact } of this.#factsIn(world, from, to)) {
      if (fact.fact !== 'chosen') continue
      for (const node of valid) {
        if ((node.begun?.epoch ?? 0) >= fact.record.epoch || includesSession(fact.record, sessionOf(node)))
          continue
        return {
          property: 'L4',
          reason: `view ${fact.record.epoch} is chosen without ${node.id}, which validly holds`,
        }
      }
    }
    return null
  }

  #factsIn(world: Int32Array, from: number, to: number): { number: number; fact: Fact }[] {
    const found: { number: number; fact: Fact }[] = []
    for (let i = from; i < to; i += 1) {
      const number = intAt(world, i)
      if (get(this.#machine.receivers, number) < 0)
        found.push({ number, fact: this.#machine.items.list[number] as Fact })
    }
    return found
  }

  #lemmas(facts: readonly Fact[]): Finding | null {
    const decided = facts.filter((fact): fact is FactOf<'decided'> => fact.fact === 'decided')
    const chosen = facts.filter((fact): fact is FactOf<'chosen'> => fact.fact === 'chosen')
    for (const { record, ballot } of decided) {
      const other = decided.find((each) => each.record.epoch === record.epoch && each.ballot !== ballot)
      if (other !== undefined) {
        return {
          property: 'L1',
          reason: `ballots ${ballot} and ${other.ballot} both decide epoch ${record.epoch}`,
        }
      }
    }
    for (const { record } of chosen) {
      for (const later of decided) {
        if (later.record.epoch <= record.epoch) continue
        if (later.from < record.epoch) {
          return {
            property: 'L2',
            reason: `view ${record.epoch} is chosen, and view ${later.record.epoch} was decided from ${later.from}`,
          }
        }
        const back = later.record.members.find(
          ({ session }) => !includesSession(record, session) && this.#beganBefore(facts, session, record),
        )
        if (back !== undefined) {
          return {
            property: 'L3',
            reason: `view ${record.epoch} was chosen without ${back.id}, and view ${later.record.epoch} takes it in again`,
          }
        }
      }
    }
    return null
  }

  #beganBefore(facts: readonly Fact[], session: Session, { epoch }: Roster): boolean {
    if (this.#machine.hasBegunFirst(session)) return epoch > 1
    return facts.some(
      (fact) => fact.fact === 'began' && fact.epoch < epoch && sameSession(fact.session, session),
    )
  }

  /** R14: whatever begins was chosen. */
  begins(epoch: number, world: Int32Array, from: number, to: number): Finding | null {
    if (epoch === 1 && !this.#machine.bounds.genesis) return null
    const isChosen = this.#factsIn(world, from, to).some(
      ({ fact }) => fact.fact === 'chosen' && fact.record.epoch === epoch,
    )
    return isChosen ? null : { property: 'R14', reason: `view ${epoch} begins and was never chosen` }
  }
}

/** R14, M8: how a view begins at a member, decided by voters or at a register. */
import { impossible } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { askTheRest } from './callers.ts'
import { localName } from './instances.ts'
import { clearView } from './lapse.ts'
import { type Holder, holdersOf, type Id, type ViewRecord } from './record.ts'
import { type OwnEntry, rules } from './rules.ts'
import { hasNews } from './seat-modes.ts'
import { announceTheft, giveBack, loseHolds } from './seats.ts'
import type { Handling } from './state.ts'

/** Everything happens in one event. `deadline` is the end of the lease under the new view. */
export function beginView(handling: Handling, record: ViewRecord, deadline: number): void {
  const { node, now } = handling
  node.begun = record
  node.deadline = deadline
  clearView(node)
  handling.effects.push({ kind: 'begun', record })
  const ownEntries = entriesOf(node.id, record)
  // R6 without sending: what lapses here is released with its table entry below.
  checkHolds(handling, record, now >= deadline)
  for (const [name, { waiting }] of node.names)
    if (waiting.some(({ steals }) => steals)) announceTheft(handling, name)
  rules.releaseEntries(handling, ownEntries, (entry) => releaseEntry(handling, entry))
  // If very many callers wait, they are not all asked for in one event (R18).
  for (const [name, local] of node.names)
    if (local.waiting.length > 0 || hasNews(node, name, local)) node.unasked.add(name)
  askTheRest(handling)
}

/** The table entries of this node. */
function entriesOf(id: Id, { table }: ViewRecord): OwnEntry[] {
  const own: OwnEntry[] = []
  for (const [name, holders] of Object.entries(table)) {
    for (const holder of holders) if (holder.id === id) own.push({ name, seat: holder.seat })
  }
  return own
}

/** R14: every hold must be in the table. If the lease has lapsed, the holds are lost. */
function checkHolds(handling: Handling, { epoch, table }: ViewRecord, lapsed: boolean): void {
  const { node } = handling
  for (const [name, { seats }] of node.names) {
    for (const [i, own] of seats.entries()) {
      if (own.holds.length === 0) continue
      const holders = holdersOf(table, name)
      const held = String(own.holds[0]?.resources)
      const isThere = ({ id, seat, resources }: Holder) =>
        id === node.id && seat === i && String(resources) === held
      if (!holders.some(isThere)) {
        impossible(`${node.id} holds ${name}, but the table of view ${epoch} lacks it`)
      }
      if (lapsed) loseHolds(handling, name, own, 'lapsed')
    }
  }
}

/** An entry that no caller holds any more begins inside and is released. An entry that is held opens at its first use. */
function releaseEntry(handling: Handling, { name, seat }: OwnEntry): void {
  if ((handling.node.names.get(name)?.seats[seat]?.holds.length ?? 0) > 0) return
  const local = localName(handling.node, name)
  giveBack(handling, name, local, get(local.seats, seat))
}

/**
 * M6: a node goes on in its view, as if it had not been frozen. While it was, it let nobody in and sent nothing, but callers came,
 * released and gave up. All of that happens now.
 */
import { get } from '@turnwise/core/bounds'
import { askTheRest } from './callers.ts'
import { localName } from './instances.ts'
import { repeatLink } from './links.ts'
import { tellOn } from './query.ts'
import { takeBackUpgrade } from './seat-modes.ts'
import { giveBack } from './seats.ts'
import { type Handling, type LocalName, type Seat, send } from './state.ts'

export function resumeView(handling: Handling): void {
  const { node } = handling
  const { id, begun } = node
  if (begun === null) return
  for (const peer of Object.keys(node.links)) {
    repeatLink(handling, peer)
    // The peer repeats what this node dropped.
    send(handling, peer, { type: 'has-begun', epoch: begun.epoch })
  }
  for (const [name, holders] of Object.entries(begun.table)) {
    for (const holder of holders) if (holder.id === id) settleEntry(handling, name, holder.seat)
  }
  for (const [name, local] of node.names) {
    for (const seat of local.seats) settle(handling, name, local, seat)
    node.unasked.add(name)
  }
  for (const { to } of node.tellings) tellOn(handling, to)
  askTheRest(handling)
}

/** An entry of the table that was released while the node was frozen, before anyone had opened its instance. */
function settleEntry(handling: Handling, name: string, seat: number): void {
  const local = localName(handling.node, name)
  const own = get(local.seats, seat)
  if (own.holds.length === 0 && own.instance === null) giveBack(handling, name, local, own)
}

function settle(handling: Handling, name: string, local: LocalName, seat: Seat): void {
  const { instance, holds } = seat
  if (instance === null) return
  if (instance.upgrades === true && !holds.some(({ upgrades }) => upgrades === true))
    takeBackUpgrade(handling, name, local, seat)
  if (instance.phase === 'inside' && instance.grant === null && holds.length === 0)
    giveBack(handling, name, local, seat)
}

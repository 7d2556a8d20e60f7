/** R6: how the holds of a node end when its lease does. This does not depend on who decides views. */
import { dictionary } from './dictionary.ts'
import { rules } from './rules.ts'
import { giveBack, loseHolds } from './seats.ts'
import { type Handling, type Node, tickOf } from './state.ts'

/** R6: every event begins with this. A lapsed hold is lost for good, even if an ack in the same event renews the lease. */
export function lapse(handling: Handling): void {
  const { node, now } = handling
  if (now < node.deadline || node.holding === 0) return
  for (const [name, local] of node.names) {
    for (const seat of local.seats) {
      if (seat.holds.length === 0) continue
      loseHolds(handling, name, seat, 'lapsed')
      // A frozen node sends nothing. The next view finds the entry in its table and releases it (R14).
      if (!rules.isSilent(node)) giveBack(handling, name, local, seat)
    }
  }
}

/** R6 in time: holders hear of it when the lease ends, not at the next tick. */
export function wakeAtLapse({ node, now, effects }: Handling): void {
  const left = node.deadline - now
  if (left > 0 && left < tickOf(node)) effects.push({ kind: 'wake', at: node.deadline })
}

export function loseAll(handling: Handling): void {
  if (handling.node.holding === 0) return
  for (const [name, { seats }] of handling.node.names) {
    for (const seat of seats) loseHolds(handling, name, seat, 'lapsed')
  }
}

/** Clears links and instances of a view that is over. */
export function clearView(node: Node): void {
  node.links = dictionary()
  node.full.clear()
  node.tellings = []
  node.gated.clear()
  node.unasked.clear()
  node.thefts.clear()
  node.resting.clear()
  node.restingTexts.clear()
  for (const [name, { waiting, seats }] of node.names) {
    for (const seat of seats) seat.instance = null
    if (waiting.length === 0 && seats.every(({ holds }) => holds.length === 0)) node.names.delete(name)
  }
}

/** Drops every hold, and ensures that there will be none. */
export function loseEverything(handling: Handling): void {
  const { node } = handling
  loseAll(handling)
  node.names.clear()
  node.links = dictionary()
  node.full.clear()
  node.tellings = []
  node.begun = null
  node.deadline = Number.NEGATIVE_INFINITY
  node.proposal = null
}

/** Whether a host may let time pass in longer steps. Only the delay of reactions depends on it, not safety. */
import { expected, isAtRest, ticksBetween } from './partners.ts'
import { isLive, type Node } from './state.ts'

/** How many ticks pass next, and how long that takes in tenths of a lease. */
export interface Step {
  readonly ticks: number
  readonly tenths: number
}

export const ONE_TICK: Step = { ticks: 1, tenths: 1 }

/**
 * All ticks up to the next heartbeat, if nothing else is to be done by then. For a voter the step takes a little longer: four
 * heartbeats in a lease are enough while no caller holds anything.
 */
export function nextStep(node: Node, now: number): Step {
  // At a register a tick sends nothing unless something is due.
  if (node.meeting !== null || !isQuiet(node, now)) return ONE_TICK
  const between = ticksBetween(node)
  const ticks = between - (node.ticks % between)
  return { ticks, tenths: ticks < between ? ticks : Math.max(ticks, FEWEST_TENTHS) }
}

const FEWEST_TENTHS = 2.5

function isQuiet(node: Node, now: number): boolean {
  const { begun, installed, durable, links } = node
  if (begun === null || !isAtRest(node) || isChanging(node)) return false
  // After a silence, the first heartbeat tells others that they are heard.
  if (now >= node.deadline || node.used.size > 0 || node.stirring.size > 0) return false
  if (
    (installed?.record.epoch ?? 0) > begun.epoch ||
    (durable.accepted?.epoch ?? begun.epoch) !== begun.epoch
  )
    return false
  if (Object.values(links).some(({ unacked }) => unacked.length > 0)) return false
  const members = new Set(begun.members.map(({ id }) => id))
  if (expected(node).some((id) => members.has(id) && !isLive(node, id, now))) return false
  // A live node that does not work in this view is to be taken in, or has more to say.
  return Object.entries(node.heard).every(
    ([id, heard]) => heard.begun === begun.epoch || !isLive(node, id, now),
  )
}

/** Whether something repeats on the tick, or is due at some time. */
function isChanging(node: Node): boolean {
  const { left, isLeaving, proposal, closing, reasonSince, wish, order, tellings, begun } = node
  const waits = [proposal, closing, reasonSince, wish, order, begun?.oldVoters ?? null]
  return left || isLeaving || tellings.length > 0 || waits.some((each) => each !== null)
}

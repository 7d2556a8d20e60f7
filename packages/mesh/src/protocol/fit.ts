/**
 * Whether a view fits its settings. Every algorithm says in its options what it needs of the number of its processes
 * (`misfit`): the rules of some let two in among more members than they were set for, those of others let nobody in among
 * fewer. What is numbered by place, such as votes, begins at the home of each lock: all orders of members fit, or none.
 *
 * Semaphores are served without settings, and nothing that serves them has needs of its own: they fit every view.
 */
import { soundWorld } from '@turnwise/core/asked-world'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { misfits } from '@turnwise/core/options'
import { serving, servingLocks } from './instances.ts'
import { expected } from './partners.ts'
import { isHeardByAny } from './reach.ts'
import type { Id, Settings } from './record.ts'
import { rules } from './rules.ts'
import { isEnded, isFrozen, isLive, lastView, type Node, peersOf } from './state.ts'

/** Of one view. Beyond that a recording could not tell messages of two views apart (`host/recorder.ts`). */
export const MOST_MEMBERS = 1024

/** Why the settings do not serve a view of so many members, or null: one of nobody needs nothing. */
export function whyUnfit(settings: Pick<Settings, 'algorithm'>, members: number): string | null {
  if (members === 0) return null
  const { algorithm: text } = settings
  const why = members > MOST_MEMBERS ? `a view has at most ${MOST_MEMBERS}` : whyMisfit(settings, members)
  return rules.misfit(
    why === null ? null : `"${text}" cannot serve ${members} member${members === 1 ? '' : 's'}: ${why}`,
  )
}

/** For those who are about to start so many nodes: throws InvalidInput for what cannot serve them. */
export function requireFit(algorithm: string, members: number): void {
  const { algorithm: known, asked } = serving(algorithm)
  const why = whyUnfit({ algorithm }, members)
  if (why !== null) throw new InvalidInput(why)
  soundWorld(asked, known.facts, members)
}

/** Settings come in records of others too, whose algorithm this node may not know. */
function whyMisfit(settings: Pick<Settings, 'algorithm'>, members: number): string | null {
  try {
    const { algorithm, options } = servingLocks(settings)
    return misfits(algorithm.options, options, members)[0] ?? null
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

/** Those who stay, and as many of the newcomers as fit beside them, the first of these; null if no number of them does. */
export function fitting<Each>(
  settings: Settings,
  staying: readonly Each[],
  newcomers: readonly Each[],
): readonly Each[] | null {
  for (let taken = newcomers.length; taken >= 0; taken -= 1) {
    if (whyUnfit(settings, staying.length + taken) === null) return [...staying, ...newcomers.slice(0, taken)]
  }
  return null
}

/** Who would be in a view that began now, as far as this node hears; null if none would fit. */
export function nextMembers(node: Node, now: number): readonly Id[] | null {
  const there = whoIsThere(node, now)
  const before = membersNow(node, there)
  const newcomers = there.filter((id) => !before.includes(id))
  return fitting(
    node.config.settings,
    there.filter((id) => before.includes(id)),
    votersFirst(newcomers, node.config.voters),
  )
}

/** A voter that is no member votes without being served: where there is room for one, it is for a voter. */
export function votersFirst(ids: readonly Id[], voters: readonly Id[]): readonly Id[] {
  const rank = (id: Id) => (voters.includes(id) ? 0 : 1)
  return ids.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

function whoIsThere(node: Node, now: number): Id[] {
  const own = expected(node)
  const isExpected = (id: Id) => own.includes(id)
  const isMember = (id: Id) => node.begun?.members.some((member) => member.id === id) ?? false
  return peersOf(node).filter((id) => {
    if (id === node.id) return true
    const heard = node.heard[id]
    if (heard !== undefined && isLive(node, id, now)) return !isEnded(node, heard.session)
    // R1: two that do not vote do not hear each other, but of each other.
    return !isExpected(id) && isMember(id) && isHeardByAny(node, id, now)
  })
}

/** Of the latest view that this node knows or hears of; before the first one those who will be in it. */
function membersNow(node: Node, there: readonly Id[]): readonly Id[] {
  const begunBy = (id: Id) => (id === node.id ? node.begun?.epoch : node.heard[id]?.begun) ?? 0
  const latest = Math.max(...there.map(begunBy))
  const view = lastView(node)
  if (view !== null && view.epoch >= latest) return view.members.map(({ id }) => id)
  if (latest > 0) return there.filter((id) => begunBy(id) === latest)
  return node.order?.voters ?? node.config.voters
}

/** Why this node cannot be served by a view of those who are there. */
export interface Misfit {
  readonly text: string
  /** Whether a view fits without this node: it is the one for whom there is no place. */
  readonly isSurplus: boolean
}

/** Null while its view is whole, and where the next one fits. */
export function misfitOf(node: Node, now: number): Misfit | null {
  // At a register whoever does not fit is left to wait.
  if (node.meeting !== null) return null
  const there = whoIsThere(node, now)
  if (!isFrozen(node) && node.begun?.members.every(({ id }) => there.includes(id))) return null
  const next = nextMembers(node, now)
  if (next?.includes(node.id)) return null
  const { settings } = node.config
  if (next === null) {
    return { text: `no view of ${there.join(', ')}: ${whyUnfit(settings, there.length)}`, isSurplus: false }
  }
  const why = whyUnfit(settings, next.length + 1)
  return { text: noPlace([node.id], next, why), isSurplus: true }
}

/** Why these would have no place beside the members that are there, or null: also where those do not fit as they are. */
export function whyNoPlace(node: Node, now: number, ids: readonly Id[]): string | null {
  const members = node.begun?.members.map(({ id }) => id) ?? []
  const beside = whoIsThere(node, now).filter((id) => members.includes(id))
  const newcomers = ids.filter((id) => !members.includes(id))
  const { settings } = node.config
  const why = whyUnfit(settings, beside.length + newcomers.length)
  if (why === null || newcomers.length === 0 || whyUnfit(settings, beside.length) !== null) return null
  return noPlace(newcomers, beside, why)
}

function noPlace(ids: readonly Id[], beside: readonly Id[], why: string | null): string {
  return `no place for ${ids.join(', ')} beside ${beside.join(', ')}: ${why}`
}

/**
 * Whether a view fits its settings. The options of an algorithm say how many processes it can serve (`misfit`). With more members
 * than it was set for, one algorithm may let two in; with fewer, another may let no one in. Settings that are numbered by place,
 * such as votes, begin at the home of each lock, so the order of members does not matter.
 *
 * Semaphores are served without settings, by algorithms without such needs. They fit every view.
 */
import { soundWorld } from '@turnwise/core/asked-world'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { misfits } from '@turnwise/core/options'
import { expected } from './partners.ts'
import { isHeardByAny } from './reach.ts'
import type { Id, Settings } from './record.ts'
import { rules } from './rules.ts'
import { serving } from './serving.ts'
import { isEnded, isFrozen, isLive, lastView, type Node, peersOf } from './state.ts'

/** The most members of one view. With more, a recording could not tell messages of two views apart (`host/recorder.ts`). */
export const MOST_MEMBERS = 1024

/** Why the settings cannot serve a view of so many members, or null. A view without members always fits. */
export function whyUnfit(settings: Pick<Settings, 'algorithm'>, members: number): string | null {
  if (members === 0) return null
  const { algorithm: text } = settings
  const why = members > MOST_MEMBERS ? `a view has at most ${MOST_MEMBERS}` : whyMisfit(settings, members)
  return rules.misfit(
    why === null ? null : `"${text}" cannot serve ${members} member${members === 1 ? '' : 's'}: ${why}`,
  )
}

/** For a host that is about to start so many nodes. Throws InvalidInput if the algorithm cannot serve them. */
export function requireFit(algorithm: string, members: number): void {
  const { algorithm: known, asked } = serving(algorithm)
  const why = whyUnfit({ algorithm }, members)
  if (why !== null) throw new InvalidInput(why)
  soundWorld(asked, known.facts, members)
}

/** Records of other nodes have settings too. Their algorithm may be unknown to this node. */
function whyMisfit(settings: Pick<Settings, 'algorithm'>, members: number): string | null {
  try {
    const { algorithm, options } = serving(settings.algorithm)
    return misfits(algorithm.options, options, members)[0] ?? null
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

/** The nodes that stay, and as many of the first newcomers as fit beside them. Null if no number fits. */
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

/** The members of a view that would begin now, as far as this node hears. Null if none would fit. */
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

/** Voters first: a voter that is no member votes without being served. */
export function votersFirst(ids: readonly Id[], voters: readonly Id[]): readonly Id[] {
  const rank = (id: Id) => (voters.includes(id) ? 0 : 1)
  return ids.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

function whoIsThere(node: Node, now: number): Id[] {
  const own = new Set(expected(node))
  const members = new Set(node.begun?.members.map(({ id }) => id))
  return peersOf(node).filter((id) => {
    if (id === node.id) return true
    const heard = node.heard[id]
    if (heard !== undefined && isLive(node, id, now)) return !isEnded(node, heard.session)
    // R1: two nodes that do not vote do not hear each other. Others tell about them.
    return !own.has(id) && members.has(id) && isHeardByAny(node, id, now)
  })
}

/** The members of the latest view that this node knows or hears of. Before the first view, the members that it will have. */
function membersNow(node: Node, there: readonly Id[]): readonly Id[] {
  const begunBy = (id: Id) => (id === node.id ? node.begun?.epoch : node.heard[id]?.begun) ?? 0
  const latest = Math.max(...there.map(begunBy))
  const view = lastView(node)
  if (view !== null && view.epoch >= latest) return view.members.map(({ id }) => id)
  if (latest > 0) return there.filter((id) => begunBy(id) === latest)
  return node.order?.voters ?? node.config.voters
}

/** Why a view of the live nodes cannot serve this node. */
export interface Misfit {
  readonly text: string
  /** Whether a view would fit without this node: then there is no place for it. */
  readonly isSurplus: boolean
}

/** Null while the view is complete, or if the next view would fit. */
export function misfitOf(node: Node, now: number): Misfit | null {
  // At a register, a node that does not fit waits.
  if (node.meeting !== null) return null
  const there = whoIsThere(node, now)
  const isThere = new Set(there)
  if (!isFrozen(node) && node.begun?.members.every(({ id }) => isThere.has(id))) return null
  const next = nextMembers(node, now)
  if (next?.includes(node.id)) return null
  const { settings } = node.config
  if (next === null) {
    return { text: `no view of ${there.join(', ')}: ${whyUnfit(settings, there.length)}`, isSurplus: false }
  }
  const why = whyUnfit(settings, next.length + 1)
  return { text: noPlace([node.id], next, why), isSurplus: true }
}

/** Why these nodes have no place beside the live members. Null if they have one, or if those members do not fit even alone. */
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

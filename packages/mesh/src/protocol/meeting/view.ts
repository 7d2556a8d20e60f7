/** M8, M10 and M14: how a view begins at a member, and how a node finds out that it was left behind or left out. */
import { beginView } from '../begin.ts'
import { dictionary } from '../dictionary.ts'
import { loseEverything } from '../lapse.ts'
import { repeatToBeginner } from '../links.ts'
import { memberOf, membersAfter } from '../membership.ts'
import type { Difference, MessageOf } from '../messages.ts'
import type { Id, Settings, ViewRecord } from '../record.ts'
import { isFrozen, type Node, send } from '../state.ts'
import { type Answer, attendant, type Cell, memberFrom, readView, type View } from './cells.ts'
import { gathering, isDeserted } from './joining.ts'
import { meetingRules } from './meeting-rules.ts'
import { type Attempt, type MeetingHandling, WATCHERS, wakeAt } from './meeting-state.ts'
import { goOut, standOff } from './row.ts'
import { readMeetingView, readRowOf, tellAddresses, tellChanged } from './watch.ts'

export function onViewRead(handling: MeetingHandling, askedAt: number, answer: Answer): void {
  if (answer.kind === 'cell') viewFrom(handling, answer.cell, askedAt)
}

/**
 * Takes over the view at the register. Another version is another view. The same version has been known since it was first seen.
 */
export function viewFrom(
  handling: MeetingHandling,
  cell: Cell | null,
  askedAt = Number.NEGATIVE_INFINITY,
): void {
  const { meeting, node, now } = handling
  const view = cell === null ? null : readView(cell)
  if (cell !== null && view === null) {
    meeting.view = undefined
    return void handling.effects.push({ kind: 'contradiction', what: 'the cell "view" holds no view' })
  }
  if (cell === null || meeting.view === undefined || meeting.view?.version !== cell.version)
    meeting.viewKnownAt = now
  meeting.view = view === null || cell === null ? null : { ...view, version: cell.version }
  if (meeting.attempt !== null) meeting.attempt.hasRead = true
  tellAddresses(handling)
  if (view === null) return
  const begun = node.begun?.epoch ?? 0
  // M14: only if the read was asked after this node had begun its view.
  if (view.epoch < begun && askedAt > meeting.begunAt) {
    loseEverything(handling)
    node.isStale = true
    handling.effects.push({ kind: 'stale-state', known: { k: 1, promised: begun, accepted: view.epoch } })
    return
  }
  if (meeting.standing === 'out') return
  if (!isAlike(handling, view.settings)) return onUnlike(handling, view)
  meeting.unlikeSince = null
  if (view.epoch <= begun) return
  const isNamed = view.members.some(({ id }) => id === node.id)
  if (isNamed) {
    meeting.namedSince ??= now
    const { draft } = meeting
    if (draft !== null && meetingRules.isDecided(draft.nonce, view.nonce))
      return announce(handling, draft.record, { before: null, reports: {} })
    for (const { id } of view.members)
      if (id !== node.id) send(handling, id, { type: 'fetch', epoch: view.epoch })
    return
  }
  meeting.namedSince = null
  if (node.begun !== null) goOut(handling, 'the view does not name it')
}

/**
 * A node with other settings does not join. But if all members have left or are dead, the view is that of former processes, and this
 * node makes the next one.
 */
function onUnlike(handling: MeetingHandling, { members, settings }: View): void {
  const { meeting, node, now } = handling
  if (node.begun !== null || members.some(({ id }) => id === node.id)) return standOff(handling, settings)
  meeting.unlikeSince ??= now
  lookForMembers(handling)
}

/** On the tick: the kernel may need a moment to say that a process has ended. */
export function judgeUnlike(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  const { view, unlikeSince } = meeting
  if (unlikeSince === null || meeting.standing !== 'waiting' || view == null || isDeserted(meeting)) return
  const patience = Math.min(node.config.settings.lease, view.settings.lease) / 2
  if (now - unlikeSince >= patience) return standOff(handling, view.settings)
  lookForMembers(handling)
}

function lookForMembers(handling: MeetingHandling): void {
  const { view, gone } = handling.meeting
  for (const { id } of view?.members ?? []) if (!(id in gone)) readRowOf(handling, id)
}

export function isAlike(
  { node }: MeetingHandling,
  { algorithm, lease: leaseMs, drift: driftFraction }: Settings,
): boolean {
  const own = node.config.settings
  return algorithm === own.algorithm && leaseMs === own.lease && driftFraction === own.drift
}

/** How many members get the view before it is decided. */
const DRAFTS = 2

/** M8: before the write, so that they know the table if this node is killed when it is done. */
export function sayDraft(
  handling: MeetingHandling,
  record: ViewRecord,
  { before, reports }: Attempt,
  nonce: string,
): void {
  if (before === null) return
  const { id: own } = handling.node
  const able = record.members.filter(({ id }) => id !== own && reports[id]?.begun === before.epoch)
  const { type: _, ...difference } = changeTo(record, before)
  for (const { id } of able.slice(0, DRAFTS)) send(handling, id, { type: 'draft', nonce, ...difference })
}

export function onDraft({ meeting, node }: MeetingHandling, { nonce, ...message }: MessageOf<'draft'>): void {
  if (node.begun?.epoch === message.after)
    meeting.draft = { nonce, record: recordAfter(node, node.begun, message) }
}

/** M8: the proposer that decided the view sends it to all members, always the same. */
export function announce(
  handling: MeetingHandling,
  record: ViewRecord,
  { before, reports }: Pick<Attempt, 'before' | 'reports'>,
): void {
  const left = dictionary<boolean>()
  for (const { id } of record.members) {
    if (id !== handling.node.id) left[id] = before !== null && reports[id]?.begun === before.epoch
  }
  const change = before && changeTo(record, before)
  handling.meeting.telling = { record, change, left, heardAt: Number.NEGATIVE_INFINITY }
  onView(handling, handling.node.id, { type: 'view', record })
  tellOn(handling)
}

/**
 * On the tick: repeats it to members that have not said yet that they have begun it. Not while others say so: a crowd begins it one
 * after another.
 */
export function tellOn(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  const { telling } = meeting
  if (telling === null) return
  const { record, change, left } = telling
  const ids = Object.keys(left)
  if (node.begun?.epoch !== record.epoch || ids.length === 0) {
    meeting.telling = null
    return
  }
  if (now - telling.heardAt < node.config.settings.lease / 10) return
  telling.heardAt = now
  // One message for all of them, so that it is encoded once.
  const whole = { type: 'view', record } as const
  for (const id of ids) send(handling, id, (left[id] && change) || whole)
}

/** A connection was made: what was sent before is lost. */
export function tellOne(handling: MeetingHandling, id: Id): void {
  const { telling } = handling.meeting
  if (telling === null || !(id in telling.left)) return
  const { record, change, left } = telling
  send(handling, id, (left[id] && change) || { type: 'view', record })
}

/** M8, for members that have begun the view before: in a large mesh they do not get the whole list again. */
function changeTo(
  { epoch, members, table }: ViewRecord,
  { epoch: after, members: before }: View,
): MessageOf<'change'> {
  const now = new Set(members.map(({ id }) => id))
  const then = new Set(before.map(({ id }) => id))
  return {
    type: 'change',
    epoch,
    after,
    gone: before.flatMap(({ id }) => (now.has(id) ? [] : [id])),
    come: members.flatMap((member) => (then.has(member.id) ? [] : [attendant(member)])),
    table,
  }
}

/** Members that stay keep their places, and newcomers follow, as in the record that was decided. */
export function onChange(handling: MeetingHandling, from: Id, message: MessageOf<'change'>): void {
  const { begun, id } = handling.node
  const { epoch, after, gone } = message
  if (begun?.epoch === epoch) return send(handling, from, { type: 'has-begun', epoch })
  if (begun?.epoch !== after) return send(handling, from, { type: 'fetch', epoch })
  if (gone.includes(id)) return
  // Of another view that it has read it knows other addresses, and some of them must be forgotten now.
  const hasReadOther = (handling.meeting.view?.epoch ?? begun.epoch) !== begun.epoch
  const changed = hasReadOther ? null : [...gone, ...message.come.map(({ id }) => id)]
  onRecord(handling, from, recordAfter(handling.node, begun, message), changed)
}

function recordAfter(node: Node, begun: ViewRecord, { epoch, gone, come, table }: Difference): ViewRecord {
  return { ...begun, epoch, members: membersAfter(node, gone, come.map(memberFrom)), table }
}

export function onHasBegun(
  { meeting, now }: MeetingHandling,
  from: Id,
  { epoch }: MessageOf<'has-begun'>,
): void {
  const { telling } = meeting
  if (telling?.record.epoch !== epoch) return
  delete telling.left[from]
  telling.heardAt = now
}

export function onView(handling: MeetingHandling, from: Id, { record }: MessageOf<'view'>): void {
  if (record.members.some(({ id }) => id === handling.node.id)) onRecord(handling, from, record, null)
}

/** It names this node. `changed`: the nodes whose addresses may change; null for any. */
function onRecord(
  handling: MeetingHandling,
  from: Id,
  record: ViewRecord,
  changed: readonly Id[] | null,
): void {
  const { meeting, node } = handling
  if (meeting.standing === 'out' || meeting.standing === 'arriving') return
  // The proposer of the first view may have asked a node that had not read a view (M12).
  if (!isAlike(handling, record.settings)) return standOff(handling, record.settings)
  if (meetingRules.mayBegin(node, record.epoch)) enter(handling, record, changed)
  if (node.begun?.epoch === record.epoch && from !== node.id)
    send(handling, from, { type: 'has-begun', epoch: record.epoch })
  repeatToBeginner(handling, from, record.epoch)
}

function enter(handling: MeetingHandling, record: ViewRecord, changed: readonly Id[] | null): void {
  const { meeting, node, now } = handling
  const others = [...Object.keys(meeting.heard), ...Object.keys(meeting.gone)]
  node.durable = { ...node.durable, promised: { epoch: record.epoch, ballot: '' } }
  meeting.standing = 'member'
  meeting.begunAt = now
  meeting.heardOfChangeAt = now
  meeting.frozenBy = null
  meeting.reported = dictionary()
  meeting.outdated = dictionary()
  meeting.draft = null
  // A FREEZE for this epoch or a lower one is refused anyway.
  for (const [id, epoch] of Object.entries(meeting.givenUp))
    if (epoch <= record.epoch) delete meeting.givenUp[id]
  meeting.namedSince = null
  meeting.reasonSince = null
  // This view serves whatever reason there was for another one.
  meeting.isWanted = false
  meeting.attempt = null
  meeting.failures = 0
  if ((meeting.view?.epoch ?? 0) < record.epoch) meeting.view = undefined
  beginView(handling, record, meeting.row.until)
  const isIn = (id: Id) => memberOf(node, id) !== undefined
  // Joiners that came in with this view wait no longer. The node no longer speaks to sessions outside the view.
  meeting.heard = dictionary(
    Object.entries(meeting.heard).filter(([id, { waitsSince }]) => waitsSince !== null && !isIn(id)),
  )
  for (const id of Object.keys(meeting.gone)) if (!isIn(id) && !(id in meeting.seen)) delete meeting.gone[id]
  if (changed === null) tellAddresses(handling)
  else tellChanged(handling, new Set([...changed, ...others]))
  stayInTouch(handling, record)
}

/** A connection that ends is the first sign of a death. Where the kernel can confirm it, watchers keep a connection to every member. */
function stayInTouch(handling: MeetingHandling, { members }: ViewRecord): void {
  const { meeting, node } = handling
  if (!meeting.asksKernel || members.findIndex(({ id }) => id === node.id) >= WATCHERS) return
  for (const { id } of members) if (id !== node.id) send(handling, id, { type: 'here', session: node.id })
}

/** M8: a member that has begun passes the view on to one that asks. */
export function onMeetingFetch(handling: MeetingHandling, from: Id, { epoch }: MessageOf<'fetch'>): void {
  const { begun } = handling.node
  if (begun !== null && begun.epoch >= epoch && memberOf(handling.node, from) !== undefined) {
    send(handling, from, { type: 'view', record: begun })
  }
}

/** A link message names another view than the one begun here, so one of the two nodes is behind. */
export function onOtherView(handling: MeetingHandling, from: Id, epoch: number): void {
  const begun = handling.node.begun?.epoch ?? 0
  if (epoch < begun) onMeetingFetch(handling, from, { type: 'fetch', epoch: begun })
  else if (epoch > begun) send(handling, from, { type: 'fetch', epoch })
}

/**
 * M10, on the tick: a node that is frozen, or waits for a view, and has heard nothing for T/2 reads the view at the register. If
 * there was none when it looked, the joiners that were to make one may not know of this node, so it looks again sooner. It waits
 * twice as long each time: if very many join at once, the register would answer nothing else.
 */
export function lookIfStuck(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  const isStuck = meeting.standing === 'waiting' || (meeting.standing === 'member' && isFrozen(node))
  const half = node.config.settings.lease / 2
  const patience = meeting.view === null ? Math.min(half, gathering(handling) * 2 ** meeting.looks) : half
  if (!isStuck || meeting.attempt !== null) return
  const due = Math.max(meeting.heardOfChangeAt, meeting.lookedAt) + patience
  if (now >= due) {
    meeting.lookedAt = now
    meeting.looks += 1
    readMeetingView(handling)
  } else if (meeting.view === null) wakeAt(handling, due)
}

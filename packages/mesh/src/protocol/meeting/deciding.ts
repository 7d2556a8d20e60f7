/** M7: the decision on a view, from the last report to its write at the register. */
import { dictionary } from '../dictionary.ts'
import { fitting } from '../fit.ts'
import type { Holder, Id, ViewRecord } from '../record.ts'
import { type Answer, attendant, memberFrom, readView, type Version, VIEW, viewOf } from './cells.ts'
import { endAttempt } from './giving-up.ts'
import { gathering, joiners } from './joining.ts'
import { meetingRules } from './meeting-rules.ts'
import { type Attempt, ask, type MeetingHandling, wakeAt } from './meeting-state.ts'
import { announce, isAlike, sayDraft, viewFrom } from './view.ts'
import { isOver, readMeetingView } from './watch.ts'

export function decide(handling: MeetingHandling, attempt: Attempt): void {
  const { meeting, node, now } = handling
  // Joiners that hear of it now come into this view. The wait counts from here, because this node may have been busy until now.
  const missing = joiners(handling).filter((id) => attempt.reports[id] === undefined)
  attempt.completeAt ??= now
  if (missing.length > 0 && now - attempt.completeAt < gathering(handling))
    return wakeAt(handling, attempt.completeAt + gathering(handling))
  // A joiner that does not answer is waited for once, and again only after it has said that it is there.
  for (const id of missing) delete meeting.heard[id]
  const record = nextRecord(handling, attempt)
  if (record === null) return endAttempt(handling)
  const nonce = `${node.id}/${meeting.attempts}/${meeting.nextTicket}`
  attempt.record = record
  attempt.value = JSON.stringify(viewOf(record, nonce))
  attempt.stage = 'deciding'
  sayDraft(handling, record, attempt, nonce)
  write(handling, attempt, nonce)
}

function write(handling: MeetingHandling, { before, value }: Attempt, nonce: string): void {
  ask(handling, { kind: 'decide', nonce }, { do: 'cas', cell: VIEW, version: before?.version ?? null, value })
}

/** Members that reported stay, unless their lease is over by now. Joiners that reported come in, as many as fit. */
function nextRecord(
  handling: MeetingHandling,
  { epoch, before, members, reports }: Attempt,
): ViewRecord | null {
  const { settings: own } = handling.node.config
  const isForeign = before !== null && !isAlike(handling, before.settings)
  // With other settings it cannot judge the lease of a member.
  if (isForeign && members.some(({ id }) => !(id in handling.meeting.gone))) return null
  const settings = isForeign ? own : (before?.settings ?? own)
  const ids = new Set(members.map(({ id }) => id))
  const isMember = (id: Id) => ids.has(id)
  const mayStay = (id: Id) =>
    meetingRules.staysIn(isOver(handling, id), handling.meeting.seen[id]?.sealed ?? false)
  const stay = members.filter(({ id }) => reports[id] !== undefined && mayStay(id))
  const come = Object.entries(reports).flatMap(([id, { address }]) =>
    isMember(id) || !mayStay(id) ? [] : [{ id, address }],
  )
  const taken = fitting(
    settings,
    stay,
    come.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  if (taken === null || !taken.some(({ id }) => id === handling.node.id)) return null
  const table = dictionary<Holder[]>()
  for (const { id } of taken) {
    const holds = meetingRules.holdsOf(reports[id]?.holds ?? {}, handling.node, id)
    for (const [name, claims] of Object.entries(holds)) {
      const holders = (table[name] ??= [])
      for (const claim of claims) holders.push({ id, ...claim })
    }
  }
  return {
    epoch,
    voters: [],
    oldVoters: null,
    members: taken.map(({ id, address }) => memberFrom(attendant({ ...reports[id], id, address }))),
    settings,
    table,
  }
}

export function onDecided(handling: MeetingHandling, nonce: string, answer: Answer): void {
  const { attempt } = handling.meeting
  if (attempt?.stage !== 'deciding' || nonceOf(attempt) !== nonce) return
  const isBelieved = answer.kind === 'unknown' && meetingRules.believesDecision()
  if (answer.kind === 'done' || isBelieved)
    return won(handling, attempt, answer.kind === 'done' ? answer.version : null)
  if (answer.kind !== 'refused') attempt.isUnsure = true
  // After a refusal an earlier write of the same value may still have been done.
  if (attempt.isUnsure) return confirm(handling, attempt)
  endAttempt(handling, false)
  readMeetingView(handling)
}

function nonceOf({ value }: Attempt): string | null {
  return readView({ value, version: '' })?.nonce ?? null
}

export function confirm(handling: MeetingHandling, attempt: Attempt): void {
  const nonce = nonceOf(attempt)
  if (nonce !== null) ask(handling, { kind: 'confirm', nonce }, { do: 'read', cell: VIEW })
}

/** M7, unknown outcome: if the nonce is there, the write was done. If the version has not changed, it is tried again. */
export function onConfirmed(handling: MeetingHandling, nonce: string, answer: Answer): void {
  const { attempt } = handling.meeting
  if (attempt?.stage !== 'deciding' || nonceOf(attempt) !== nonce || answer.kind !== 'cell') return
  const { cell } = answer
  if (cell !== null && readView(cell)?.nonce === nonce) return won(handling, attempt, cell.version)
  // Not where there was no view: the first write may still be under way, and be done after the view of another was deleted.
  if (attempt.before !== null && cell?.version === attempt.before.version)
    return write(handling, attempt, nonce)
  // The view before is still there under another version, so the write was not done and will never be (M6).
  const { before } = attempt
  const isOutdated = before !== null && cell !== null && readView(cell)?.nonce === before.nonce
  endAttempt(handling, !isOutdated)
  viewFrom(handling, cell)
}

/** M8: the view is decided. No other node can have decided one after the same version. */
function won(handling: MeetingHandling, attempt: Attempt, version: Version | null): void {
  const { record, value } = attempt
  const { meeting, now } = handling
  const view = version === null ? null : readView({ value, version })
  if (record === null) return
  meeting.attempt = null
  meeting.notBefore = now
  meeting.view = view === null || version === null ? undefined : { ...view, version }
  meeting.viewKnownAt = now
  announce(handling, record, attempt)
}

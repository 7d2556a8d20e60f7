/** The voter: R10, R11 and R13. It makes one promise per epoch, on disk before it is told. Accepting waits for leases. */
import { claimsOf } from './claims.ts'
import { whyUnfit } from './fit.ts'
import { heartbeat } from './heartbeat.ts'
import type { MessageOf } from './messages.ts'
import { type Id, includesSession, namesVoter, type ViewRecord, withoutTable } from './record.ts'
import { rules } from './rules.ts'
import { markOfSession } from './stale.ts'
import { type Handling, type Installed, isEnded, send, sessionOf, zoneOf } from './state.ts'
import { isReported, sendTable } from './tables.ts'

export function onPrepare(handling: Handling, from: Id, { epoch, ballot }: MessageOf<'prepare'>): void {
  const { node } = handling
  const { promised } = node.durable
  if (rules.promises(promised, epoch, ballot)) promise(handling, epoch, ballot)
  else if (epoch !== promised.epoch || ballot !== promised.ballot) {
    // R10: another ballot of the same epoch is refused too, so one epoch has at most one record.
    return send(handling, from, { type: 'refuse', ballot, promised })
  }
  node.stirred = handling.now
  if (!isReported(node, from, ballot)) report(handling, from)
}

/** R10 */
function promise(handling: Handling, epoch: number, ballot: string): void {
  const { node } = handling
  rules.keepPromise(handling, { epoch, ballot })
  node.closing = null
  if (node.proposal !== null && node.proposal.epoch < epoch) node.proposal = null
  node.stirred = handling.now
}

/** R11: built after R6 and after the promise took effect, in one event. From now on holds only shrink. */
function report(handling: Handling, to: Id): void {
  const { node } = handling
  const { promised, accepted } = node.durable
  const { epoch, ballot } = promised
  const begun = node.begun?.epoch ?? null
  heartbeat(handling, to) // R20
  sendTable(handling, to, {
    type: 'promise',
    epoch,
    ballot,
    session: sessionOf(node),
    mark: markOfSession(node),
    accepted,
    begun,
    holds: claimsOf(handling),
    wish: node.wish,
    ...zoneOf(node),
  })
}

/** R13 */
export function onInstall(handling: Handling, from: Id, { record, ballot }: MessageOf<'install'>): void {
  const { node } = handling
  const { promised } = node.durable
  const isOther = record.epoch === promised.epoch && ballot !== promised.ballot
  const isUnfit = whyUnfit(record.settings, record.members.length) !== null
  if (isOther || isUnfit || rules.refusesLower(record.epoch, promised)) {
    return send(handling, from, { type: 'refuse', ballot, promised })
  }
  if (record.epoch > promised.epoch) promise(handling, record.epoch, ballot)
  node.installed = { record, ballot }
  node.stirred = handling.now
  const { accepted, voterId } = node.durable
  if (!namesVoter(record, voterId)) return
  if (accepted !== null && accepted.epoch >= record.epoch)
    return sayAccepted(handling, from, { record, ballot })
  // Acks for sessions that are left out stop here, before their debts are read.
  if (node.closing?.ballot !== ballot) {
    node.closing = { record, ballot, to: from, until: debtTo(handling, record) }
  }
  tryAccept(handling)
}

/** Until when leases of sessions that the record lacks may run, as far as this voter acknowledged them. */
function debtTo({ node, ledger }: Handling, record: ViewRecord): number {
  for (const [key, until] of ledger?.close(record) ?? []) {
    node.owed[key] = Math.max(node.owed[key] ?? Number.NEGATIVE_INFINITY, until)
  }
  let until = Number.NEGATIVE_INFINITY
  for (const [key, owed] of Object.entries(node.owed)) {
    const cut = key.lastIndexOf('.')
    const session = { voterId: key.slice(0, cut), k: Number(key.slice(cut + 1)) }
    if (!includesSession(record, session) && !isEnded(node, session)) until = Math.max(until, owed)
  }
  return until
}

/** R13: accepts when nothing more is owed to sessions that are left out, and the promise is still this ballot. */
export function tryAccept(handling: Handling): void {
  const { node, now } = handling
  const { closing } = node
  if (closing === null) return
  const owed = rules.owedAtLast(closing, debtTo(handling, closing.record))
  const until = Math.max(owed, blankUntil(handling, closing.record))
  if (rules.waits(until, now)) {
    handling.effects.push({ kind: 'wake', at: until })
    return
  }
  rules.keepAccepted(handling, withoutTable(closing.record))
  node.closing = null
  for (const [key, owed] of Object.entries(node.owed)) if (owed <= now) delete node.owed[key]
  sayAccepted(handling, closing.to, closing)
}

/**
 * R21: a blank disk may replace a lost one. Leases that the lost one acknowledged are over when D has passed since this process
 * started. Where voters change (R20, R23), a majority of the old ones vouches for them instead.
 */
function blankUntil({ node }: Handling, record: ViewRecord): number {
  const { config, started } = node
  if (!rules.mayBeLost(node, record)) return Number.NEGATIVE_INFINITY
  return started + rules.debt(config.settings.lease, config.settings.drift)
}

function sayAccepted(handling: Handling, to: Id, { record, ballot }: Installed): void {
  const { voterId } = handling.node.durable
  heartbeat(handling, to) // R20
  send(handling, to, { type: 'accepted', epoch: record.epoch, ballot, voterId })
}

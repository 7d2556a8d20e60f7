/** Counts and logs what happens to a node as a whole: views, leases, losses, refusals, and trouble with disk and clock. */

import { LAST_LEAP } from '../protocol/epochs.ts'
import type { Loss } from '../protocol/events.ts'
import { LAST_EPOCH } from '../protocol/fence.ts'
import { misfitOf } from '../protocol/fit.ts'
import { nameOf } from '../protocol/names.ts'
import type { Roster, ViewRecord } from '../protocol/record.ts'
import { standing, whyNoFirstView } from '../protocol/standing.ts'
import type { Node } from '../protocol/state.ts'
import type { Disagreements } from './disagreements.ts'
import type { Details, Log } from './logger.ts'
import type { PlaceStatus } from './mesh-status.ts'
import { Meters } from './meters.ts'
import { Namesakes } from './namesakes.ts'
import { type Observer, unharmed } from './observer.ts'

export class Journal {
  readonly meters = new Meters()
  /** Follows each caller, for telemetry; null without it. */
  observer: Observer | null = null
  /** Null where there are no handshakes. */
  disagreements: Disagreements | null = null
  /** Null where there is no meeting place. */
  place: (() => PlaceStatus | null) | null = null
  readonly #first: string
  readonly #log: Log | undefined
  #node: Node | null = null
  #hasLease = false
  #missing = ''
  #hasToldEpochs = false
  #trouble = ''
  #contradiction = ''
  /** Whether the meeting place was silent at the last check. */
  #isAway = false
  readonly #namesakes = new Namesakes()
  /** How many locks were lost with the lease since the last tick. */
  #lapsed = 0

  constructor(id: string, log?: Log) {
    this.#first = id
    this.#log = log
  }

  /** At a meeting place it changes with every session. */
  get #id(): string {
    return this.#node?.id ?? this.#first
  }

  /** Called as soon as the node exists. The transport may log something before. */
  follow(node: Node): void {
    this.#node = node
    this.#watchEpochs(node.durable.promised.epoch)
  }

  /** Logged at every start, years before epochs run out. */
  #watchEpochs(epoch: number): void {
    if (epoch <= LAST_LEAP || this.#hasToldEpochs) return
    this.#hasToldEpochs = true
    const line = `epochs run out: this node is at ${epoch} of ${LAST_EPOCH}. Plan a new mesh with new state directories, and let resources forget the old fences`
    this.#warn('epochs run out', { promised: epoch, last: LAST_EPOCH }, line)
  }

  joined(): void {
    const roster = this.#node?.begun ?? null
    this.#info('joined', roster === null ? {} : viewOf(roster))
  }

  /** R19: this voter was started again. `why`: why it owes a whole lease; null if the stamp of its last life counts. */
  owes({ owed }: Node, now: number, why: string | null): void {
    const until = Object.values(owed)
    if (until.length === 0) return
    const left = Math.max(0, Math.round(Math.max(...until) - now))
    this.#info('leases owed', { left, stamp: why ?? 'counts' })
  }

  /** R26: an operator says that what a majority knew is lost for good. */
  ordered(epoch: number, voters: readonly string[]): void {
    const line = `an operator ordered a new first view of ${voters.join(', ')} with epoch ${epoch}`
    this.#warn('new first view ordered', { epoch, voters }, line)
  }

  begun(record: ViewRecord): void {
    this.meters.views += 1
    this.#watchEpochs(record.epoch)
    // A list of very many members takes time, and only a logger gets it.
    if (typeof this.#log === 'object') this.#info('view', viewOf(record))
    this.#namesakes.begun(Object.keys(record.table))
  }

  /** On the tick. */
  ticked(now: number): void {
    this.#tellOtherLosses()
    if (this.#node === null || this.#node.left) return
    const { missing } = standing(this.#node, now)
    this.#lease(now < this.#node.deadline, missing)
    this.#namesakes.look(this.#node.stirring, this.#node.names, now)
    this.#troubled(this.warnings(now))
    this.#watchPlace()
    if (this.#missing === missing.join()) return
    this.#missing = missing.join()
    this.#info('voters', { missing })
  }

  /** What an operator should know of this node, in one line each. */
  warnings(now: number): readonly string[] {
    return [...this.trouble(now), ...this.#namesakes.lines]
  }

  /** What keeps this node from being served, or will, in one line each. */
  trouble(now: number): readonly string[] {
    const node = this.#node
    if (node === null || node.left) return []
    const misfit = misfitOf(node, now)
    const disagreements = this.disagreements?.lines(node, now) ?? []
    const told = misfit === null ? disagreements : [misfit.text, ...disagreements]
    // Nodes that are started together do not appear at the same moment.
    const isLate = now - node.started >= node.config.settings.lease
    const first = told.length === 0 && isLate ? whyNoFirstView(node, now) : null
    return first === null ? told : [first]
  }

  /** M13: logs only its first error, because the error may differ every time. */
  #watchPlace(): void {
    const place = this.place?.() ?? null
    const isAway = place !== null && place.why !== null
    if (place === null || isAway === this.#isAway) return
    this.#isAway = isAway
    const { name, why } = place
    if (isAway) this.#warn('place silent', { place: name, reason: why }, `${name} does not answer: ${why}`)
    else this.#info('place answers', { place: name })
  }

  #troubled(trouble: readonly string[]): void {
    if (this.#trouble === trouble.join('\n')) return
    this.#trouble = trouble.join('\n')
    if (trouble.length === 0) this.#info('trouble over', { trouble })
    else this.#warn('trouble', { trouble }, `node ${this.#id}: ${trouble.join('; ')}`)
  }

  /** `left`: what was left of the lease. It is 0 or less if the lease had ended and no tick has seen that yet. */
  renewed(left: number): void {
    if (left > 0) {
      this.meters.leaseMargin.record(left)
      this.observer?.renewed(left)
    } else this.#lease(false, [])
    this.#lease(true, [])
  }

  #lease(isValid: boolean, missing: readonly string[]): void {
    if (isValid === this.#hasLease) return
    this.#hasLease = isValid
    if (isValid) return this.#info('lease valid', {})
    this.meters.leaseLosses += 1
    const line = `node ${this.#id} has lost its lease: it was not renewed in time`
    this.#warn('lease lost', { reason: 'not-renewed', missing }, line)
  }

  /** A caller has lost a lock. */
  lost(key: string, why: Loss, held: number): void {
    const meter = this.meters.of(key)
    meter.losses[why] += 1
    meter.hold.record(held)
    if (why === 'lapsed') {
      // A lease that ended and was renewed between two ticks has ended too.
      this.#lease(false, [])
      this.#lapsed += 1
      if (this.#lapsed > MOST_NAMED) return
    }
    const name = nameOf(key)
    const line = `"${name}" is ${why === 'stolen' ? 'stolen' : 'lost: the lease ended before it was renewed'}`
    this.#warn(why === 'stolen' ? 'lock stolen' : 'lock lost', { name, reason: why, held }, line)
  }

  /** A node may lose very many locks with its lease. A line for each would cost it the next lease. */
  #tellOtherLosses(): void {
    const others = this.#lapsed - MOST_NAMED
    this.#lapsed = 0
    if (others <= 0) return
    const line = `node ${this.#id} has lost ${others} more locks: only ${MOST_NAMED} at a time are named`
    this.#warn('more locks lost', { count: others }, line)
  }

  slept(): void {
    this.meters.clockJumps += 1
    const line = `node ${this.#id} has lost all its locks: the machine slept, or its clock jumped`
    this.#warn('clock jumped', { reason: 'clock-jump' }, line)
  }

  /** A repeated contradiction is logged once. */
  contradicted(what: string): void {
    if (this.#contradiction === what) return
    this.#contradiction = what
    const line = `node ${this.#id} received a contradiction (a peer lies, or this is a bug): ${what}`
    this.#warn('contradiction', { reason: what }, line)
  }

  stops(reason: 'disk-failed' | 'stale-state', error: Error): void {
    const event = reason === 'disk-failed' ? 'disk failed' : 'stale state'
    this.#tell('error', event, { reason, message: error.message }, `node ${this.#id} stops: ${error.message}`)
  }

  /** Where members come and go, connections end all the time, so only refusals are warnings. The transport passes lines of text. */
  readonly passing = (line: string): void => {
    if (line.includes('refused:')) this.connection(line)
    else this.#info('connection', { reason: line })
  }

  readonly connection = (line: string): void => {
    const [, peer, why] = /^connection from (.+?) refused: (.*)$/s.exec(line) ?? []
    if (why !== undefined) this.#warn('peer refused', { peer, reason: why }, line)
    else if (line.startsWith('refused: '))
      this.#warn('refused by peer', { reason: line.slice('refused: '.length) }, line)
    else this.#warn('connection', { reason: line }, line)
  }

  readonly refused = (): void => {
    this.meters.peerRefusals += 1
  }

  readonly noTelemetry = (why: string): void =>
    this.#info('no telemetry', { reason: 'not-installed', message: why })

  readonly directory = (line: string): void => this.#warn('state directory copied', { reason: line }, line)

  readonly recording = (line: string): void => this.#warn('recording', { reason: line }, line)

  #info(event: string, details: Details): void {
    const log = this.#log
    if (typeof log === 'object') unharmed(() => log.info(this.#full(details), event))
  }

  #warn(event: string, details: Details, line: string): void {
    this.#tell('warn', event, details, line)
  }

  #tell(level: 'warn' | 'error', event: string, details: Details, line: string): void {
    const log = this.#log
    unharmed(() => {
      if (typeof log === 'function') log(line)
      else log?.[level](this.#full(details), event)
    })
  }

  #full(details: Details): Details {
    return { node: this.#id, epoch: this.#node?.begun?.epoch ?? null, ...details }
  }
}

/** How many locks that were lost with the lease are named between two ticks. */
const MOST_NAMED = 100

/** With its epoch, because the next view may have begun by the time of the log line. */
function viewOf({ epoch, members, voters }: Roster): Details {
  return { epoch, members: members.map(({ id }) => id), voters: voters.map(({ id }) => id) }
}

import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { formulaWith, type Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import { type Finished, finishedAt } from './finished.ts'
import type { Moment } from './moment.ts'
import type { Recording } from './recording.ts'

/** Messages so far, beside what the literature says. */
export interface Counter {
  readonly sent: number
  readonly entries: number
  /** Messages per entry of the requests that are over, or per result of an election; null before the first. */
  readonly perEntry: number | null
  /** What messages are counted by. */
  readonly per: 'entry' | 'election'
  readonly formula: string
  /** What the formula comes to here; null if it does not know this load. */
  readonly theory: Prediction | null
  /** Why the two differ, if they do and the run shows it; and over which requests the messages are counted, if not over all. */
  readonly remark: string | null
}

export function counterAt(
  recording: Recording,
  moment: Moment,
  protocol: AnyProtocol,
  setup: Setup,
  load: string,
): Counter {
  const sent = get(recording.sent, moment.position)
  const elects = isElection(protocol)
  // Every node that called an election learns of its result; messages are counted per election.
  const entries = elects
    ? Math.min(1, get(recording.entered, moment.position))
    : get(recording.entered, moment.position)
  const finished = finishedAt(recording, moment.position)
  const counted = elects ? { messages: sent, entries, isCalm: false } : finished
  const perEntry = counted.entries === 0 ? null : counted.messages / counted.entries
  const { formula, theory } = claimOf(protocol, setup, load)
  return {
    sent,
    entries,
    perEntry,
    per: elects ? 'election' : 'entry',
    formula,
    theory,
    remark: remarkOf(
      differenceOf(perEntry, theory, recording, moment, counted),
      elects ? null : countedOver(counted, entries, moment),
    ),
  }
}

interface Claim extends Pick<Counter, 'formula' | 'theory'> {
  readonly protocol: AnyProtocol
  readonly load: string
}

const claims = new WeakMap<Setup, Claim>()

/** What the literature says of this world. Some of it is counted over all nodes, and asked for with every step. */
function claimOf(protocol: AnyProtocol, setup: Setup, load: string): Claim {
  const known = claims.get(setup)
  if (known?.protocol === protocol && known.load === load) return known
  const claim = {
    protocol,
    load,
    formula: formulaText(protocol, setup),
    theory: theoryOf(protocol, setup, load),
  }
  claims.set(setup, claim)
  return claim
}

/** The formula for messages, with what its letters stand for here. */
export function formulaText(protocol: AnyProtocol, setup: Setup): string {
  const { messages } = protocol.facts
  return formulaWith(messages.formula, ('letters' in messages && messages.letters?.(setup)) || {})
}

/** Theory is written for light and for heavy load; for what lies between, its bounds. */
export function theoryOf(protocol: AnyProtocol, setup: Setup, load: string): Prediction | null {
  if (isElection(protocol)) {
    const { messages } = protocol.facts
    return load === 'all' ? messages.all(setup) : messages.one(setup)
  }
  const { messages } = protocol.facts
  const [light, heavy] = [messages.light(setup), messages.heavy(setup)]
  if (load === 'light' || load.startsWith('hot:')) return light
  if (load === 'heavy') return heavy
  const min = Math.min(light.min, heavy.min)
  const max = Math.max(light.max, heavy.max)
  return { min, max, mean: light.mean !== null && light.mean === heavy.mean ? light.mean : null }
}

/** Which requests the figure is about, where that is not plain. */
function countedOver({ entries, isCalm }: Finished, all: number, { waiting }: Moment): string | null {
  if (entries === 0) return null
  if (!isCalm) return waiting.length > 0 ? STILL_WAIT : null
  if (entries === all && waiting.length === 0) return null
  return entries === 1
    ? 'Counted over the one request that has ended.'
    : `Counted over the ${entries} requests that have ended.`
}

const STILL_WAIT = 'Includes requests that still wait.'

function remarkOf(...parts: readonly (string | null)[]): string | null {
  const told = new Set(parts.filter((part) => part !== null))
  return told.size === 0 ? null : [...told].join(' ')
}

/** Why a figure is not what theory says. */
function differenceOf(
  perEntry: number | null,
  theory: Prediction | null,
  { violations, cuts, downs, untold, views }: Recording,
  { position, waiting, inside, underWay, view }: Moment,
  { isCalm }: Finished,
): string | null {
  if (untold.length > 0)
    return `The record does not show what ${untold.length === 1 ? 'node' : 'nodes'} ${untold.join(', ')} sent.`
  if (perEntry === null || theory === null) return null
  const rounding = 0.005
  if (perEntry >= theory.min - rounding && perEntry <= theory.max + rounding) return null
  const isBroken =
    violations.some((finding) => finding.position <= position) ||
    cuts.some(({ since }) => since <= position) ||
    downs.some(({ from }) => from <= position)
  if (isBroken) return 'The formula does not cover faults.'
  if (view !== null && view.epoch !== get(views, 0).epoch)
    return `The formula is for view ${view.epoch} with ${view.members.length} members; in each view all ask anew.`
  const stillToCome = 'Some messages of these entries are still to come.'
  if (isCalm) return underWay.length > 0 && perEntry < theory.min ? stillToCome : TOO_FEW
  if (waiting.length + inside.length + underWay.length === 0) return TOO_FEW
  if (perEntry < theory.max) return stillToCome
  return waiting.length > 0 ? STILL_WAIT : 'Includes messages of later entries.'
}

const TOO_FEW = 'So few entries may differ from the average.'

/** A prediction in figures: "16", "between 3 and 12", "about 2.6". */
export function predictionText({ min, max, mean }: Prediction): string {
  if (min === max) return figure(min)
  if (mean !== null) return `about ${figure(mean)}`
  return Number.isFinite(max) ? `${figure(min)} to ${figure(max)}` : `${figure(min)} or more`
}

function figure(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2)
}

import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { InvalidInput } from '../invalid-input.ts'
import { timeText } from './sentence.ts'
import { epochBegun, isPart, type Trace, type TraceEvent, type TraceHeader } from './trace.ts'

/**
 * One run from parts: what the nodes of a mesh recorded, each for itself and by its own clock. Events of one node stay in
 * their order, no message arrives before it was sent, and for the rest time decides.
 *
 * Clocks differ. Where a message seems to arrive before it was sent, the clock of its receiver is behind, and all that
 * its node did is shown later, by as little as mends it.
 */
export interface Merged {
  /** Its times begin at 0; `settings.start` is when that was, in microseconds since 1970 by the clocks of the nodes. */
  readonly trace: Trace
  /** What is missing and what was corrected, a sentence each. */
  readonly notes: readonly string[]
}

export function mergeParts(parts: readonly Trace[]): Merged {
  const { part: _, ...settings } = commonHeader(parts).settings
  const { header } = get(parts, 0)
  const lanes = lanesOf(parts)
  const sends = sendsIn(lanes)
  const shifts = clockShifts(lanes, sends)
  const { events: told, isTangled } = interleave(lanes, shifts ?? lanes.map(() => 0), sends)
  const events = withLosses(told, new Set(parts.map(partOf)))
  const start = events[0]?.at ?? 0
  const rebased = events.map((event) => ({ ...event, at: event.at - start }))
  const trace = { header: { ...header, settings: { ...settings, start } }, events: rebased }
  const notes = [
    ...absenceNotes(trace, parts),
    ...strayNotes(rebased, sends),
    ...clockNotes(shifts, trace.header),
    ...(isTangled
      ? ['the parts contradict each other: in no order is every message sent before it arrives']
      : []),
  ]
  return { trace, notes }
}

/** The common header of all parts. Only the number of the part may differ. */
function commonHeader(parts: readonly Trace[]): TraceHeader {
  const whole = parts.findIndex(({ header }) => !isPart(header))
  if (whole >= 0)
    throw new InvalidInput(`file ${whole + 1} is a whole run; only parts that nodes recorded can be merged`)
  const { header } = get(parts, 0)
  for (const other of parts) {
    const differs = differences(header, other.header)
    if (differs === null) continue
    throw new InvalidInput(`the parts are not of one run: ${differs}`)
  }
  return header
}

function differences(a: TraceHeader, b: TraceHeader): string | null {
  const fields = (header: TraceHeader): Record<string, unknown> => {
    const { settings, algorithm, nodes, entries } = header
    return { algorithm, nodes, entries, ...settings, part: null }
  }
  const [one, other] = [fields(a), fields(b)]
  const field = [...Object.keys(one), ...Object.keys(other)].find((key) => one[key] !== other[key])
  return field === undefined ? null : `${field} is ${String(one[field])} and ${String(other[field])}`
}

function partOf({ header }: Pick<Trace, 'header'>): NodeId {
  return Number(header.settings['part'])
}

type Lane = TraceEvent[]

/** What each node did. A node that was started again has several parts, one after another. */
function lanesOf(parts: readonly Trace[]): Lane[] {
  const lanes = Array.from({ length: get(parts, 0).header.nodes }, (): Lane => [])
  // What was found out late was recorded late, with its own time.
  const ordered = parts
    .map(({ header, events }) => ({
      node: partOf({ header }),
      events: events.toSorted((a, b) => a.at - b.at),
    }))
    .filter(({ events }) => events.length > 0)
    .toSorted((a, b) => get(a.events, 0).at - get(b.events, 0).at)
  for (const { node, events } of ordered) {
    const lane = get(lanes, node)
    if ((lane.at(-1)?.at ?? Number.NEGATIVE_INFINITY) > get(events, 0).at) {
      throw new InvalidInput(`two parts of node ${node} tell of the same time`)
    }
    // A recording that was begun by hand does not tell that its node is back.
    if (lane.length > 0 && get(events, 0).is !== 'join')
      lane.push({ at: get(events, 0).at, is: 'join', node, sponsor: null })
    for (const event of events) lane.push(event)
    const { is, at } = get(lane, lane.length - 1)
    if (is !== 'gone' && is !== 'unseen') lane.push({ at, is: 'unseen', node })
  }
  return lanes
}

interface Sent {
  readonly node: NodeId
  readonly at: number
}

/** Every message that a part says was sent, by its id: who sent it, and when by its own clock. */
function sendsIn(lanes: readonly Lane[]): Map<number, Sent> {
  const sends = new Map<number, Sent>()
  lanes.forEach((lane, node) => {
    for (const event of lane) {
      if (event.is === 'send' && !sends.has(event.id)) sends.set(event.id, { node, at: event.at })
    }
  })
  return sends
}

/**
 * By how much the clock of each node is at least behind that of the one furthest ahead: the least shifts with which no
 * message arrives before it was sent. They are longest paths, found as Bellman and Ford do. Null if there are none,
 * because a clock was set during the run.
 */
function clockShifts(lanes: readonly Lane[], sends: ReadonlyMap<number, Sent>): number[] | null {
  /** The shortest delay seen from one node to another. */
  const delays = new Map<string, { from: NodeId; to: NodeId; least: number }>()
  lanes.forEach((lane, to) => {
    for (const event of lane) {
      const sent = event.is === 'receive' ? sends.get(event.id) : undefined
      if (sent === undefined || sent.node === to) continue
      const key = `${sent.node} ${to}`
      const least = Math.min(delays.get(key)?.least ?? Number.POSITIVE_INFINITY, event.at - sent.at)
      delays.set(key, { from: sent.node, to, least })
    }
  })
  const shifts = lanes.map(() => 0)
  for (let round = 0; round <= lanes.length; round += 1) {
    let isSettled = true
    for (const { from, to, least } of delays.values()) {
      if (get(shifts, from) - least <= get(shifts, to)) continue
      shifts[to] = get(shifts, from) - least
      isSettled = false
    }
    if (isSettled) return shifts
  }
  return null
}

interface Head {
  readonly lane: Lane
  readonly shift: number
  next: number
  last: number
}

/**
 * The earliest first of all that may come next. An event and what its handler did stay together, and at one time: readers
 * of the trace tell by that what caused what.
 */
function interleave(
  lanes: readonly Lane[],
  shifts: readonly number[],
  sends: ReadonlyMap<number, Sent>,
): { events: TraceEvent[]; isTangled: boolean } {
  const heads = lanes.map(
    (lane, node): Head => ({ lane, shift: get(shifts, node), next: 0, last: Number.NEGATIVE_INFINITY }),
  )
  const sentAt = new Map<number, number>()
  const events: TraceEvent[] = []
  let isTangled = false
  let now = Number.NEGATIVE_INFINITY
  /** When the next of a node is due, and whether it waits for a message to be sent. */
  const dueOf = ({ lane, next, last, shift }: Head) => {
    const cause = get(lane, next)
    const due = Math.max(cause.at + shift, last)
    if (cause.is === 'send' || !('id' in cause) || !sends.has(cause.id)) return { due, isBlocked: false }
    const sent = sentAt.get(cause.id)
    return { due: Math.max(due, sent ?? due), isBlocked: sent === undefined }
  }
  for (;;) {
    const open = heads.filter(({ lane, next }) => next < lane.length)
    if (open.length === 0) return { events, isTangled }
    let chosen = get(open, 0)
    let { due, isBlocked } = dueOf(chosen)
    for (const head of open) {
      const other = dueOf(head)
      const isBetter = isBlocked === other.isBlocked ? other.due < due : isBlocked
      if (isBetter) [chosen, due, isBlocked] = [head, other.due, other.isBlocked]
    }
    isTangled ||= isBlocked
    now = Math.max(now, due)
    const end = groupEnd(chosen.lane, chosen.next)
    for (; chosen.next < end; chosen.next += 1) {
      const event = get(chosen.lane, chosen.next)
      if (event.is === 'send') sentAt.set(event.id, now)
      events.push({ ...event, at: now })
    }
    chosen.last = now
  }
}

/**
 * With a view its links end, and what was under way on them: a message that never arrives is lost when its sender or its
 * receiver begins a later view. Receivers without a part are left out, since no part tells what arrived there.
 */
function withLosses(events: readonly TraceEvent[], told: ReadonlySet<NodeId>): TraceEvent[] {
  const arrived = new Set(events.flatMap((event) => (event.is === 'receive' ? [event.id] : [])))
  const epochs = new Map<NodeId, number>()
  const absent = new Set<NodeId>()
  let underWay: {
    readonly id: number
    readonly from: NodeId
    readonly to: NodeId
    readonly epoch: number
  }[] = []
  return events.flatMap((event): TraceEvent[] => {
    if (event.is === 'unseen' || event.is === 'gone') absent.add(event.node)
    if (event.is === 'join') absent.delete(event.node)
    if (event.is === 'send' && event.to !== null && told.has(event.to) && !arrived.has(event.id)) {
      underWay.push({ id: event.id, from: event.from, to: event.to, epoch: epochs.get(event.from) ?? 0 })
    }
    const epoch = epochBegun(event)
    if (event.is !== 'proceed' || epoch === null) return [event]
    const { node, at } = event
    epochs.set(node, epoch)
    const isOver = (letter: (typeof underWay)[number]) =>
      letter.epoch < epoch && (letter.from === node || letter.to === node)
    const lost = underWay.filter(isOver)
    underWay = underWay.filter((letter) => !isOver(letter))
    return [
      ...lost.map(
        ({ id, to }): TraceEvent => ({
          at,
          is: 'lose',
          id,
          node: to,
          why: absent.has(to) ? 'absent' : 'drop',
        }),
      ),
      event,
    ]
  })
}

/** Where what one event caused ends. */
function groupEnd(lane: Lane, start: number): number {
  let end = start + 1
  while (end < lane.length && CAUSED.has(get(lane, end).is) && get(lane, end).at === get(lane, start).at)
    end += 1
  return end
}

const CAUSED: ReadonlySet<TraceEvent['is']> = new Set(['send', 'enter', 'elected'])

function nodeText(node: NodeId, { nodes, settings }: TraceHeader): string {
  const ids = String(settings['ids'] ?? '').split(', ')
  return ids.length === nodes && ids[node] !== '' ? `node ${node} (${ids[node]})` : `node ${node}`
}

function absenceNotes({ header, events }: Trace, parts: readonly Trace[]): string[] {
  const told = new Set(parts.map(partOf))
  const missing = Array.from({ length: header.nodes }, (_, node) => node).filter((node) => !told.has(node))
  const ends = events.filter(({ is }) => is === 'unseen')
  return [
    ...missing.map((node) => `there is no part of ${nodeText(node, header)}`),
    ...ends.map(
      (event) =>
        `the part of ${nodeText('node' in event ? event.node : 0, header)} ends at ${timeText(event.at)} without a farewell`,
    ),
  ]
}

function strayNotes(events: readonly TraceEvent[], sends: ReadonlyMap<number, Sent>): string[] {
  const stray = events.filter((event) => event.is === 'receive' && !sends.has(event.id)).length
  if (stray === 0) return []
  return [
    `${stray} ${stray === 1 ? 'message arrives' : 'messages arrive'} of which no part says that it was sent`,
  ]
}

function clockNotes(shifts: readonly number[] | null, header: TraceHeader): string[] {
  if (shifts === null) return ['a clock was set during the run: times of different nodes cannot be compared']
  return shifts.flatMap((shift, node) =>
    shift === 0
      ? []
      : [`the clock of ${nodeText(node, header)} is behind, so it is shown ${shift / 1000} ms later`],
  )
}

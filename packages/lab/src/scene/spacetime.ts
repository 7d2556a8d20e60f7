import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { firstSentAfter, lettersAt, positionAt, tooMany } from '../run/moment.ts'
import type { Letter, Recording, Span } from '../run/recording.ts'
import { spansBetween } from '../run/spans.ts'
import type { Mark } from './message-marks.ts'

/** What the space-time diagram shows between two times, in ticks, whatever it is drawn on. */
export interface SpaceTime {
  readonly nodes: number
  readonly from: number
  readonly to: number
  readonly bars: readonly Bar[]
  readonly arrows: readonly Arrow[]
  readonly points: readonly Dot[]
  /** How many arrows there would be, where they are too many to draw. */
  readonly leftOut: number
}

/** Something that lasts on a lane. */
export interface Bar {
  /** `together` is inside with others that exclude it, for as long as that lasts; `sharing` is inside, and lets others in beside it. */
  readonly is: 'waiting' | 'waiting-to-share' | 'inside' | 'sharing' | 'together' | 'down' | 'paused'
  readonly node: NodeId
  readonly from: number
  readonly to: number
}

export interface Arrow {
  readonly from: NodeId
  readonly to: NodeId
  readonly sentAt: number
  /** Where it ends, or is seen last. */
  readonly endsAt: number
  readonly ends: Letter['ends']
  readonly isCopy: boolean
  /** Of its message. */
  readonly type: string
  readonly mark: Mark | undefined
  /** The happenings it leads from and to, by their numbers from 0; null if it does not arrive. */
  readonly cause: number
  readonly effect: number | null
}

/** A happening on a lane. */
export interface Dot {
  readonly node: NodeId
  readonly at: number
  readonly happening: number
  readonly is: 'step' | 'fault' | 'violation'
}

const FAULTS: ReadonlySet<string> = new Set([
  'crash',
  'restart',
  'pause',
  'resume',
  'cut',
  'heal',
  'gone',
  'join',
])

export function spaceTime(
  recording: Recording,
  window: { readonly from: number; readonly to: number },
  marks: ReadonlyMap<string, Mark>,
  mostArrows = 4000,
): SpaceTime {
  const { from, to } = window
  const { header, happenings } = recording
  const first = positionAt(recording, from - 1)
  const last = positionAt(recording, to)
  const letters = lettersBetween(recording, first, last)
  const isTooMuch = letters.length > mostArrows
  const bars = (is: Bar['is'], spans: readonly Span[]): Bar[] =>
    spans
      .filter(({ fromAt, untilAt }) => fromAt <= to && (untilAt ?? Number.POSITIVE_INFINITY) >= from)
      .map(({ node, fromAt, untilAt }) => ({ is, node, from: fromAt, to: untilAt ?? endOf(recording) }))
  const inMode = (alone: Bar['is'], beside: Bar['is'], spans: readonly Span[]) => [
    ...bars(
      alone,
      spans.filter(({ mode }) => mode === 'exclusive'),
    ),
    ...bars(
      beside,
      spans.filter(({ mode }) => mode !== 'exclusive'),
    ),
  ]
  return {
    nodes: header.nodes,
    from,
    to,
    bars: [
      ...inMode('waiting', 'waiting-to-share', spansBetween(recording.waits, first, last)),
      ...inMode('inside', 'sharing', spansBetween(recording.stays, first, last)),
      ...bars('together', overlaps(recording)),
      ...bars('down', recording.downs),
      ...bars('paused', recording.pauses),
    ],
    arrows: isTooMuch ? [] : letters.map((letter) => arrowOf(recording, letter, marks)),
    points: isTooMuch ? [] : happenings.slice(first, last).flatMap((_, i) => dotsOf(recording, first + i)),
    leftOut: isTooMuch ? letters.length : 0,
  }
}

/** Of each recording, since it is asked with every frame; when more of a run is there, that is another recording. */
const ends = new WeakMap<Recording, number>()

/** When the run ends, in ticks. What nobody has left by then goes on for a while, or an entry at the very end would not be seen. */
export function endOf(recording: Recording): number {
  const known = ends.get(recording)
  if (known !== undefined) return known
  const { happenings, stays } = recording
  const last = happenings.at(-1)?.at ?? 0
  const isOpen = stays.some(({ untilAt }) => untilAt === null)
  const end = isOpen ? last + Math.max(TICKS_PER_UNIT, 0.08 * last) : last
  ends.set(recording, end)
  return end
}

/** A span in which so many happenings lie at the beginning: a few dozen can be told apart. */
export function firstSpan(recording: Recording): number {
  const { happenings } = recording
  const some = happenings[Math.min(happenings.length, 48) - 1]?.at ?? 0
  return Math.max(4_000_000, Math.min(some, endOf(recording)) * 1.05)
}

/** The window moves on by this share of itself. */
const PAGE = 0.25

/**
 * What is seen while the cursor is at a time. The cursor runs through the third quarter of the window, then the window moves on
 * by a quarter. So from step to step only the cursor moves, and the diagram need not be painted.
 */
export function windowAt(now: number, span: number, end: number): { from: number; to: number } {
  const page = PAGE * span
  const from = Math.max(0, Math.min(page * Math.floor((now - 0.5 * span) / page), end * 1.02 - span))
  return { from, to: from + span }
}

/** The parts of stays during which too many are inside, as judges found them. */
function overlaps({ violations, stays, happenings, header }: Recording): Span[] {
  return violations
    .filter(({ judge }) => judge === 'exclusion')
    .flatMap(({ position }) => {
      const inside = stays.filter(({ from, until }) => from <= position && position < until)
      const all = tooMany(inside, header.entries)
      // It lasts until no more are left than may be together.
      const ends = all.map((stay) => stay.untilAt ?? Number.POSITIVE_INFINITY).toSorted((x, y) => x - y)
      const end = ends[all.length - header.entries - 1] ?? Number.POSITIVE_INFINITY
      const untilAt = Number.isFinite(end) ? end : null
      const fromAt = get(happenings, position - 1).at
      return all.map((stay) => ({ ...stay, fromAt, untilAt }))
    })
}

/** All letters that are under way at some moment between two positions. */
function lettersBetween(recording: Recording, first: number, last: number): Letter[] {
  const { letters } = recording
  const start = firstSentAfter(letters, first)
  return [...lettersAt(recording, first), ...letters.slice(start, firstSentAfter(letters, last))]
}

function arrowOf(recording: Recording, letter: Letter, marks: ReadonlyMap<string, Mark>): Arrow {
  const { from, to, sentAt, endsAt, ends, isCopy, message, since, until } = letter
  return {
    from,
    to,
    sentAt,
    endsAt: endsAt ?? Math.max(endOf(recording), sentAt),
    ends,
    isCopy,
    type: message.type,
    mark: marks.get(message.type),
    cause: since - 1,
    effect: Number.isFinite(until) ? until - 1 : null,
  }
}

function dotsOf({ happenings }: Recording, index: number): Dot[] {
  const { cause, concerns, at } = get(happenings, index)
  // A loss is drawn as the end of its arrow.
  if (cause.is === 'lose') return []
  const is = cause.is === 'violation' ? 'violation' : FAULTS.has(cause.is) ? 'fault' : 'step'
  return concerns.map((node) => ({ node, at, happening: index, is }))
}

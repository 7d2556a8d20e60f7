import { get } from '../bounds.ts'
import { type Happening, happenings } from './happening.ts'
import {
  type Cell,
  happeningCells,
  LANE_CELLS,
  type Lanes,
  laneHeads,
  lanesWidth,
  quietCells,
} from './lanes.ts'
import { plainText, reasonsOf, sentence, timeText } from './sentence.ts'
import { TICKS_PER_UNIT, type Trace, type TraceHeader } from './trace.ts'

export type Paint = (text: string) => string

/** Colours the parts of a diagram. It is given text that is laid out already, so it may add what has no width. */
export interface Painter {
  readonly time: Paint
  readonly waiting: Paint
  readonly inside: Paint
  /** Nodes that do nothing: crashed or paused. */
  readonly crashed: Paint
  readonly message: Paint
  readonly violation: Paint
  readonly note: Paint
}

export interface DiagramOptions {
  /** Columns in all; 100 unless told. */
  readonly width?: number | undefined
  /** The first and the last time to show, in units. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** How many rows to show at most; all unless told. */
  readonly limit?: number | undefined
  readonly colour?: Painter | undefined
}

/**
 * A space-time diagram in text: time runs down, every node has a lane, a message is an arrow in the row in which
 * it arrives, and sentences beside each row say what happened, and why if the trace tells. Ends with a newline.
 */
export function renderDiagram(trace: Trace, options: DiagramOptions = {}): string {
  const { colour = UNPAINTED } = options
  const width = Math.max(LEAST_WIDTH, options.width ?? 100)
  const { header, events } = trace
  const { shown, hidden, next } = choose(trace, options)
  const timeWidth = shown.reduce((most, { at }) => Math.max(most, timeText(at).length), 'time'.length)
  const layout = plan(header.nodes, width, timeWidth)
  const { lanes } = layout
  const note = (text: string) => wrap(text, width).map((line) => colour.note(line))
  const lines = [
    ...note(headerText(header)),
    ...note(lanes === null ? tooNarrowText(layout, width) : legend(trace)),
    '',
  ]
  if (lanes !== null) lines.push(headLine(layout, lanes, colour))
  for (const happening of shown) lines.push(...rowLines(happening, layout, colour))
  if (events.length === 0) lines.push(...note('nothing happened'))
  else if (shown.length === 0 && hidden === 0) lines.push(...note('nothing happened in this time'))
  if (next !== null) lines.push(...note(moreText(hidden, next)))
  return `${lines.join('\n')}\n`
}

const UNBREAKABLE = '\u00a0'

const same: Paint = (text) => text

const UNPAINTED: Painter = {
  time: same,
  waiting: same,
  inside: same,
  crashed: same,
  message: same,
  violation: same,
  note: same,
}

/**
 * The parts are held together by spaces at which no line is broken. Absence is explained where nodes come and go;
 * most runs have none of it.
 */
function legend({ events }: Trace): string {
  const isFixed = !events.some(({ is }) => is === 'join' || is === 'gone' || is === 'unseen')
  const lanes = Object.entries(LANE_CELLS).filter(([status]) => !(isFixed && status === 'absent'))
  return [
    ...lanes.map(([status, { glyph }]) => `${glyph} ${status}`),
    '●──▶ a message arrives',
    '●──✗ it is lost',
  ]
    .map((part) => part.replaceAll(' ', UNBREAKABLE))
    .join('   ')
}

function headerText({ algorithm, nodes, seed, entries, settings }: TraceHeader): string {
  const together = entries === 1 ? '' : `, ${entries} may be inside together`
  // A run found by a search has no seed: it says what was searched for. A recorded run has none either.
  const { found, lock, ids } = settings
  const origin = lock === undefined ? (found ?? `seed ${seed}`) : `lock ${lock} of ${ids}`
  return plainText(`${algorithm}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}${together}, ${origin}`)
}

interface Choice {
  readonly shown: readonly Happening[]
  /** How many rows the limit cut off, and the first of them. */
  readonly hidden: number
  readonly next: Happening | null
}

function choose(trace: Trace, options: DiagramOptions): Choice {
  const { limit = Number.POSITIVE_INFINITY } = options
  const from = ticksOf(options.from ?? Number.NEGATIVE_INFINITY)
  const to = ticksOf(options.to ?? Number.POSITIVE_INFINITY)
  const shown: Happening[] = []
  let hidden = 0
  let next: Happening | null = null
  for (const happening of happenings(trace)) {
    if (happening.at < from || happening.at > to) continue
    if (shown.length < limit) shown.push(happening)
    else {
      next ??= happening
      hidden += 1
    }
  }
  return { shown, hidden, next }
}

function ticksOf(units: number): number {
  return Math.round(units * TICKS_PER_UNIT)
}

interface Layout {
  readonly timeWidth: number
  /** Null where the lanes do not fit. */
  readonly lanes: Lanes | null
  readonly textWidth: number
  /** The width at which the lanes would fit. */
  readonly needed: number
}

const GAP = '  '

/** Wider lanes do not show more, and narrower ones cannot show an arrow. */
const WIDEST_PITCH = 15
const NARROWEST_PITCH = 3

/** Lanes take no more than leaves the sentences this much, if they can; and never more than leaves them the least. */
const COMFORTABLE_TEXT = 44
const LEAST_TEXT = 32

/** A smaller width gives lines that are too long, rather than words cut into pieces. */
const LEAST_WIDTH = 44

function plan(nodes: number, width: number, timeWidth: number): Layout {
  const gaps = timeWidth + 2 * GAP.length
  const narrowest = Math.max(NARROWEST_PITCH, String(nodes - 1).length + 1)
  const edge = lanesWidth({ nodes: 1, pitch: 0 })
  const comfortable = Math.floor((width - gaps - edge - COMFORTABLE_TEXT) / Math.max(1, nodes - 1))
  const lanes = { nodes, pitch: Math.max(narrowest, Math.min(WIDEST_PITCH, comfortable)) }
  const needed = gaps + lanesWidth({ nodes, pitch: narrowest }) + LEAST_TEXT
  if (width < needed) {
    return { timeWidth, lanes: null, textWidth: Math.max(LEAST_TEXT, width - timeWidth - GAP.length), needed }
  }
  return { timeWidth, lanes, textWidth: width - gaps - lanesWidth(lanes), needed }
}

function headLine({ timeWidth }: Layout, lanes: Lanes, colour: Painter): string {
  return colour.time('time'.padStart(timeWidth)) + GAP + laneHeads(lanes).trimEnd()
}

function rowLines(happening: Happening, { timeWidth, lanes, textWidth }: Layout, colour: Painter): string[] {
  const paintText = happening.cause.is === 'violation' ? colour.violation : same
  const told = wrap(sentence(happening), textWidth).map(paintText)
  const why = reasonsOf(happening).flatMap((reason) => wrap(reason, textWidth).map(colour.note))
  return [...told, ...why].map((text, i) => {
    const time = i === 0 ? colour.time(timeText(happening.at).padStart(timeWidth)) : ' '.repeat(timeWidth)
    if (lanes === null) return time + GAP + text
    const cells = i === 0 ? happeningCells(lanes, happening) : quietCells(lanes, happening.statuses)
    return time + GAP + paintCells(cells, colour) + GAP + text
  })
}

/** Paints neighbours of one role together: a colour per character would swell the text. */
function paintCells(cells: readonly Cell[], colour: Painter): string {
  let painted = ''
  for (let start = 0; start < cells.length; ) {
    const { role } = get(cells, start)
    let end = start + 1
    while (end < cells.length && get(cells, end).role === role) end += 1
    const text = cells
      .slice(start, end)
      .map(({ glyph }) => glyph)
      .join('')
    painted += role === null ? text : colour[role](text)
    start = end
  }
  return painted
}

function tooNarrowText({ needed }: Layout, width: number): string {
  return `The lanes do not fit into ${width} columns, so this is the log alone; a width of ${needed} shows them.`
}

function moreText(hidden: number, next: Happening): string {
  const rows = hidden === 1 ? '1 more row' : `${hidden} more rows`
  return `… ${rows}; a larger limit shows them, or from ${next.at / TICKS_PER_UNIT}`
}

/** Breaks at spaces, and inside a word only where it alone is too long; what follows is indented. */
function wrap(text: string, width: number): string[] {
  const indent = '  '
  const lines: string[] = []
  let current = ''
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (longer.length <= width) {
      current = longer
      continue
    }
    if (current.trim() !== '') lines.push(current.trimEnd())
    current = lines.length === 0 ? word : indent + word
    while (current.length > width) {
      lines.push(current.slice(0, width))
      current = indent + current.slice(width)
    }
  }
  lines.push(current)
  return lines.map((line) => line.replaceAll(UNBREAKABLE, ' '))
}

import { distinctSeries, drawnSeries, type Figure, intervalOf, isDrawable } from './figure.ts'
import { type Mark, markOf } from './palette.ts'
import { drawFailure, drawMarker, drawMeasuredLine, drawTheoryLine, drawWhisker } from './series-marks.ts'
import { type Box, bodyText, ink, lineHeight } from './style.ts'
import { element, moveTo, textElement } from './svg.ts'
import { fitText, textWidth } from './text.ts'

const sampleWidth = 28
const sampleGap = 8
const columnGap = 24

type Area = Omit<Box, 'height'>

export interface LegendEntry {
  box: Box
  name: string
  /** The name as written: with a remark where nothing was measured, and cut where it is too long. */
  label: string
  mark: Mark
}

export interface LegendLayout {
  box: Box
  entries: LegendEntry[]
  /** How to read what is not a series, where the figure has it. */
  notes: LegendNote[]
}

export interface LegendNote {
  kind: keyof typeof noteLabels
  box: Box
}

const noteLabels = {
  theory: 'theory',
  interval: 'interval of the measured value',
  moved: 'equal values stand side by side',
  failed: 'a judge found a violation',
}

/**
 * Columns as wide as the longest name, filled from top to bottom so that neighbours stay neighbours. A series that has
 * its name at every line of it is not told again.
 */
export function layoutLegend(
  figure: Figure,
  area: Area,
  { moved, isNamed }: { moved: boolean; isNamed: (name: string) => boolean },
): LegendLayout {
  const measured = new Set(figure.panels.flatMap(drawnSeries).map(({ name }) => name))
  const labelled = distinctSeries(figure)
    .filter(({ name }) => !isNamed(name))
    .map(({ name, colourIndex }) => ({
      name,
      mark: markOf(colourIndex),
      label: labelOf(name, measured.has(name) ? '' : ' (no data)', area.width - sampleWidth - sampleGap),
    }))
  const entryWidth = Math.max(0, ...labelled.map(({ label }) => widthOf(label)))
  const columns = Math.max(1, Math.floor((area.width + columnGap) / (entryWidth + columnGap)))
  const rows = Math.ceil(labelled.length / columns)
  const entries = labelled.map((entry, index) => ({
    ...entry,
    box: {
      x: area.x + Math.floor(index / rows) * (entryWidth + columnGap),
      y: area.y + (index % rows) * lineHeight,
      width: entryWidth,
      height: lineHeight,
    },
  }))
  const notesTop = area.y + rows * lineHeight + (rows > 0 ? 8 : 0)
  const notes = layoutNotes(notesOf(figure, moved), { ...area, y: notesTop })
  const bottom = Math.max(area.y, ...[...entries, ...notes].map(({ box }) => box.y + box.height))
  return { box: { ...area, height: bottom - area.y }, entries, notes }
}

/** The remark is kept whole when the name has to be cut. */
function labelOf(name: string, remark: string, width: number): string {
  return fitText(name, bodyText, width - textWidth(remark, bodyText)) + remark
}

const widthOf = (label: string): number => sampleWidth + sampleGap + textWidth(label, bodyText)

function notesOf(figure: Figure, moved: boolean): LegendNote['kind'][] {
  const drawn = figure.panels.flatMap(drawnSeries)
  const hasTheory = drawn.some((series) => series.theory?.some(isDrawable))
  const hasFailure = drawn.some(({ points }) => points.some((point) => point.failed && isDrawable(point)))
  const hasInterval = drawn.some(({ points }) => points.some((point) => intervalOf(point) !== undefined))
  return [
    ...(hasTheory ? (['theory'] as const) : []),
    ...(hasInterval ? (['interval'] as const) : []),
    ...(moved ? (['moved'] as const) : []),
    ...(hasFailure ? (['failed'] as const) : []),
  ]
}

/** Side by side, on a new line where the next one would not fit. */
function layoutNotes(kinds: LegendNote['kind'][], area: Area): LegendNote[] {
  let { x, y } = area
  return kinds.map((kind) => {
    const width = widthOf(noteLabels[kind])
    if (x > area.x && x + width > area.x + area.width) {
      x = area.x
      y += lineHeight
    }
    const box = { x, y, width, height: lineHeight }
    x += width + columnGap
    return { kind, box }
  })
}

export function drawLegend({ entries, notes }: LegendLayout): string {
  return element('g', { class: 'legend', 'font-size': bodyText.size }, [
    ...entries.map(drawEntry),
    ...notes.map(drawNote),
  ])
}

const middle = lineHeight / 2
const sampleLine = `M0,${middle}H${sampleWidth}`
const textPlace = { x: sampleWidth + sampleGap, y: middle + 4.5 }

function drawEntry({ box, name, label, mark }: LegendEntry): string {
  return element('g', { class: 'legend-entry', transform: moveTo(box.x, box.y) }, [
    // The full name, shown when pointing at a shortened one.
    ...(label === name ? [] : [textElement('title', name)]),
    drawMeasuredLine(mark.colour, sampleLine),
    drawMarker(mark, sampleWidth / 2, middle),
    textElement('text', label, textPlace),
  ])
}

function drawNote({ kind, box }: LegendNote): string {
  return element('g', { class: 'legend-note', transform: moveTo(box.x, box.y), fill: ink.quiet }, [
    ...noteSamples[kind],
    textElement('text', noteLabels[kind], textPlace),
  ])
}

const centre = sampleWidth / 2
const sampleMark = (colourIndex: number): Mark => ({ ...markOf(colourIndex), colour: ink.quiet })

const noteSamples = {
  theory: [drawTheoryLine(ink.quiet, sampleLine)],
  interval: [drawWhisker(ink.quiet, { x: centre, top: middle - 7, bottom: middle + 7, cut: false })],
  failed: [drawMarker(sampleMark(0), centre, middle), drawFailure(centre, middle)],
  moved: [drawMarker(sampleMark(0), centre - 4, middle), drawMarker(sampleMark(1), centre + 4, middle)],
}

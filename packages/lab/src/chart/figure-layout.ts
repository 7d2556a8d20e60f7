import { get } from '@turnwise/core/bounds'
import { type Tick, type XAxis, xAxis, type YAxis, yAxis } from './axis.ts'
import { drawnSeries, type Figure, type Panel } from './figure.ts'
import { type LegendLayout, layoutLegend } from './figure-legend.ts'
import { type LineLabel, layoutLineLabels } from './line-labels.ts'
import { type Shifts, sideShifts } from './spread.ts'
import { type Box, bodyText, lineHeight, tickLength, tickText, titleText } from './style.ts'
import { fitText, type TextStyle, textWidth, wrapText } from './text.ts'

const margin = 20
const gap = 24
/** The default width of the figure; a given width is kept within these bounds, as long as one panel fits. */
const plotWidth = 300
const narrowestPlot = 240
const widestPlot = 460
const smallestPlot = 120
const plotHeight = 240
/** Narrower than this, a title breaks into many lines. */
const minimumWidth = 420

export interface HeadingLine {
  text: string
  style: TextStyle
  x: number
  baseline: number
}

export interface PanelLayout {
  panel: Panel
  /** Everything that belongs to the panel, its title and labels included. */
  box: Box
  plot: Box
  x: XAxis
  y: YAxis
  /** Whether the names under the x axis are too long to stand side by side. */
  slanted: boolean
  /** What its own labels and axis titles take beside and under the plot; other panels may need more. */
  left: number
  below: number
  /** One for each series the panel draws. */
  shifts: Shifts[]
  labels: LineLabel[]
}

export interface FigureLayout {
  width: number
  height: number
  heading: HeadingLine[]
  panels: PanelLayout[]
  legend: LegendLayout
}

/** Where everything goes. Drawing follows these boxes, so a test of the boxes is a test of the picture. */
export function layoutFigure(figure: Figure): FigureLayout {
  const { measured, columns, left, panelWidth } = arrange(figure)
  const room = figure.width === undefined ? minimumWidth : Math.min(minimumWidth, figure.width - 2 * margin)
  const contentWidth = Math.max(room, columns * panelWidth + (columns - 1) * gap)

  const heading = layoutHeading(figure, contentWidth)
  let top = (heading.at(-1)?.baseline ?? 0) + gap
  const layoutLegendAt = (y: number): LegendLayout =>
    layoutLegend(
      figure,
      { x: margin, y, width: contentWidth },
      { moved: measured.some(hasMovedMarkers), isNamed: (name) => isNamedEverywhere(name, measured) },
    )
  // Below a long column of charts it would not be seen.
  const above = columns === 1 && measured.length > 1 ? layoutLegendAt(top) : undefined
  if (above !== undefined) top += above.box.height + gap
  const panels: PanelLayout[] = []
  for (let start = 0; start < measured.length; start += columns) {
    const row = measured.slice(start, start + columns)
    const below = Math.max(...row.map((panel) => panel.below))
    const height = lineHeight + plotHeight + below
    for (const [column, panel] of row.entries()) {
      const box = { x: margin + column * (panelWidth + gap), y: top, width: panelWidth, height }
      panels.push(placePanel(panel, box, left))
    }
    top += height + gap
  }
  const legend = above ?? layoutLegendAt(top)
  const bottom = above === undefined ? legend.box.y + legend.box.height : top - gap
  return { width: contentWidth + 2 * margin, height: bottom + margin, heading, panels, legend }
}

interface Arrangement {
  measured: MeasuredPanel[]
  columns: number
  /** The same for all panels, so that the plots stand in line. */
  left: number
  panelWidth: number
}

/** As many columns as wished and names at the lines, if that leaves the plots wide enough; names are given up first. */
function arrange(figure: Figure): Arrangement {
  const count = figure.panels.length
  // Four panels look better as a square than as a row of three and a rest.
  const wished = figure.columns ?? (count === 4 ? 2 : Math.max(1, Math.min(3, count)))
  if (figure.width === undefined) return arrangeAt(figure, wished, plotWidth, true)
  const room = figure.width - 2 * margin
  for (let columns = wished; columns > 0; columns -= 1) {
    for (const hasLabels of [true, false]) {
      const plot = fittingPlot(figure, columns, hasLabels, room)
      if (plot >= narrowestPlot) return arrangeAt(figure, columns, Math.min(widestPlot, plot), hasLabels)
    }
  }
  return arrangeAt(figure, 1, Math.max(smallestPlot, fittingPlot(figure, 1, false, room)), false)
}

/** How wide a plot may be for so many columns to fit. */
function fittingPlot(figure: Figure, columns: number, hasLabels: boolean, room: number): number {
  const available = Math.floor((room - (columns - 1) * gap) / columns)
  const beside = (plot: number): number => arrangeAt(figure, columns, plot, hasLabels).panelWidth - plot
  // What labels need beside a plot changes a little with the plot's own width: less of it never needs less room.
  return Math.floor(available - beside(Math.max(1, Math.min(widestPlot, available - beside(plotWidth)))))
}

function arrangeAt(figure: Figure, columns: number, plot: number, hasLabels: boolean): Arrangement {
  const measured = figure.panels.map((panel) => measurePanel(panel, plot, hasLabels))
  const left = Math.max(0, ...measured.map((panel) => panel.left))
  return {
    measured,
    columns,
    left,
    panelWidth: left + plot + Math.max(0, ...measured.map((panel) => panel.right)),
  }
}

function isNamedEverywhere(wanted: string, panels: readonly MeasuredPanel[]): boolean {
  const drawing = panels.filter(({ panel }) => drawnSeries(panel).some(({ name }) => name === wanted))
  return drawing.length > 0 && drawing.every(({ labels }) => labels.some(({ name }) => name === wanted))
}

/** Moved along a quantity, where the reader has to be told. */
function hasMovedMarkers({ x, shifts }: MeasuredPanel): boolean {
  return x.kind === 'quantity' && shifts.some(({ markers }) => markers.some((shift) => shift !== 0))
}

function layoutHeading(figure: Figure, width: number): HeadingLine[] {
  const lines = [
    ...wrapText(figure.title, titleText, width).map((text) => ({ text, style: titleText })),
    ...wrapText(figure.subtitle ?? '', bodyText, width).map((text) => ({ text, style: bodyText })),
  ]
  return lines.map((line, index) => ({ ...line, x: margin, baseline: margin + 16 + index * lineHeight }))
}

/** A panel that has no place yet, with the space that labels need beside its plot. */
type MeasuredPanel = Omit<PanelLayout, 'box' | 'plot'> & { right: number; plotWidth: number }

/** Labels at 45 degrees: wide enough for `high contention`, and they reach as far down as to the left. */
const slantedLabelWidth = 110
const slantedLabelPitch = 16
const labelGap = 10
const slope = Math.SQRT1_2

function measurePanel(given: Panel, width: number, hasLabels: boolean): MeasuredPanel {
  const panel = {
    ...given,
    xLabel: fitText(given.xLabel, tickText, width),
    // Shortened before the axis adds its remark, which must never be what is cut off.
    yLabel: fitText(given.yLabel, tickText, plotHeight - textWidth(' (log)', tickText)),
  }
  const y = yAxis(panel, plotHeight)
  const axis = xAxis(panel, width)
  const pitch = pitchOf(axis.ticks, width)
  const slanted = axis.kind === 'names' && widest(axis.ticks) + labelGap > pitch
  const x = { ...axis, ticks: readableTicks(axis, pitch, slanted) }
  const series = drawnSeries(panel)
  const shifts = sideShifts(series, x, y)
  const labels = hasLabels ? layoutLineLabels(series, shifts, { x, y, width, height: plotHeight }) : []
  const overLeft = x.ticks.map(
    (tick) => (slanted ? labelWidth(tick) * slope : labelWidth(tick) / 2) - tick.at,
  )
  const overRight = [
    ...x.ticks.map((tick) => tick.at + (slanted ? 8 : labelWidth(tick) / 2)),
    ...labels.map((label) => label.place.x + label.width),
  ].map((end) => end - width)
  return {
    panel,
    plotWidth: width,
    x,
    y,
    slanted,
    shifts,
    labels,
    left: Math.max(lineHeight + widest(y.ticks) + tickLength + 4, ...overLeft),
    right: Math.max(4, ...overRight),
    below: tickLength + (slanted ? widest(x.ticks) * slope + 12 : 16) + 16,
  }
}

function readableTicks({ kind, ticks }: XAxis, pitch: number, slanted: boolean): Tick[] {
  if (slanted) return slant(ticks, pitch)
  return kind === 'names' ? thinOut(ticks, pitch, widest(ticks) + labelGap) : withoutOverlap(ticks)
}

const labelWidth = (tick: Tick): number => textWidth(tick.label, tickText)

const widest = (ticks: Tick[]): number => Math.max(0, ...ticks.map(labelWidth))

/** Ticks at measured values stand at any distance: from the right, no label that would touch the one after it. */
function withoutOverlap(ticks: Tick[]): Tick[] {
  let free = Number.POSITIVE_INFINITY
  return ticks
    .toReversed()
    .map((tick) => {
      if (tick.at + labelWidth(tick) / 2 > free) return { ...tick, label: '' }
      free = tick.at - labelWidth(tick) / 2 - labelGap
      return tick
    })
    .toReversed()
}

/** Names stand at equal distances. */
const pitchOf = (ticks: Tick[], width: number): number =>
  ticks.length > 1 ? get(ticks, 1).at - get(ticks, 0).at : width

const slant = (ticks: Tick[], pitch: number): Tick[] =>
  thinOut(ticks, pitch, slantedLabelPitch).map(({ at, label }) => ({
    at,
    label: fitText(label, tickText, slantedLabelWidth),
  }))

/** Only every second, third, ... label, as far as needed to give each this much room. */
function thinOut(ticks: Tick[], pitch: number, room: number): Tick[] {
  const every = Math.max(1, Math.ceil(room / pitch))
  return ticks.map(({ at, label }, index) => ({ at, label: index % every === 0 ? label : '' }))
}

function placePanel(measured: MeasuredPanel, box: Box, left: number): PanelLayout {
  const plot = { x: box.x + left, y: box.y + lineHeight, width: measured.plotWidth, height: plotHeight }
  return { ...measured, box, plot }
}

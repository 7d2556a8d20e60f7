import { type Tick, type XAxis, xAxis, type YAxis, yAxis } from './axis.ts'
import { drawnSeries, type Figure, type Panel } from './figure.ts'
import { type LegendLayout, layoutLegend } from './legend.ts'
import { type Shifts, sideShifts } from './spread.ts'
import { type Box, bodyText, lineHeight, tickLength, tickText, titleText } from './style.ts'
import { fitText, type TextStyle, textWidth, wrapText } from './text.ts'

const margin = 20
const gap = 24
const plotWidth = 300
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
  const measured = figure.panels.map(measurePanel)
  // Four panels look better as a square than as a row of three and a rest.
  const columns = figure.columns ?? (measured.length === 4 ? 2 : Math.max(1, Math.min(3, measured.length)))
  // The same for all panels, so that the plots stand in line.
  const plotLeft = Math.max(0, ...measured.map((panel) => panel.left))
  const panelWidth = plotLeft + plotWidth + Math.max(0, ...measured.map((panel) => panel.right))
  const contentWidth = Math.max(minimumWidth, columns * panelWidth + (columns - 1) * gap)

  const heading = layoutHeading(figure, contentWidth)
  let top = (heading.at(-1)?.baseline ?? 0) + gap
  const panels: PanelLayout[] = []
  for (let start = 0; start < measured.length; start += columns) {
    const row = measured.slice(start, start + columns)
    const below = Math.max(...row.map((panel) => panel.below))
    const height = lineHeight + plotHeight + below
    for (const [column, panel] of row.entries()) {
      const box = { x: margin + column * (panelWidth + gap), y: top, width: panelWidth, height }
      panels.push(placePanel(panel, box, plotLeft))
    }
    top += height + gap
  }
  const legend = layoutLegend(
    figure,
    { x: margin, y: top, width: contentWidth },
    panels.some(hasMovedMarkers),
  )
  return {
    width: contentWidth + 2 * margin,
    height: legend.box.y + legend.box.height + margin,
    heading,
    panels,
    legend,
  }
}

/** Moved along a quantity, where the reader has to be told. */
function hasMovedMarkers({ x, shifts }: PanelLayout): boolean {
  return x.kind === 'quantity' && shifts.some(({ markers }) => markers.some((shift) => shift !== 0))
}

function layoutHeading(figure: Figure, width: number): HeadingLine[] {
  const lines = [
    ...wrapText(figure.title, titleText, width).map((text) => ({ text, style: titleText })),
    ...wrapText(figure.subtitle ?? '', bodyText, width).map((text) => ({ text, style: bodyText })),
  ]
  return lines.map((line, index) => ({ ...line, x: margin, baseline: margin + 16 + index * lineHeight }))
}

interface MeasuredPanel {
  panel: Panel
  x: XAxis
  y: YAxis
  slanted: boolean
  /** Space that labels need beside and under the plot. */
  left: number
  right: number
  below: number
}

/** Labels at 45 degrees: wide enough for `high contention`, and they reach as far down as to the left. */
const slantedLabelWidth = 110
const slantedLabelPitch = 16
const labelGap = 10
const slope = Math.SQRT1_2

function measurePanel(given: Panel): MeasuredPanel {
  const panel = {
    ...given,
    xLabel: fitText(given.xLabel, tickText, plotWidth),
    // Shortened before the axis adds its remark, which must never be what is cut off.
    yLabel: fitText(given.yLabel, tickText, plotHeight - textWidth(' (log)', tickText)),
  }
  const y = yAxis(panel, plotHeight)
  const axis = xAxis(panel, plotWidth)
  const slanted = axis.kind === 'names' && widest(axis.ticks) + labelGap > pitchOf(axis.ticks)
  const x = {
    ...axis,
    ticks: slanted
      ? slant(axis.ticks)
      : axis.kind === 'names'
        ? thinOut(axis.ticks, widest(axis.ticks) + labelGap)
        : withoutOverlap(axis.ticks),
  }
  const overLeft = x.ticks.map(
    (tick) => (slanted ? labelWidth(tick) * slope : labelWidth(tick) / 2) - tick.at,
  )
  const overRight = x.ticks.map((tick) => tick.at + (slanted ? 8 : labelWidth(tick) / 2) - plotWidth)
  return {
    panel,
    x,
    y,
    slanted,
    left: Math.max(lineHeight + widest(y.ticks) + tickLength + 4, ...overLeft),
    right: Math.max(4, ...overRight),
    below: tickLength + (slanted ? widest(x.ticks) * slope + 12 : 16) + 16,
  }
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
const pitchOf = (ticks: Tick[]): number => (ticks.length > 1 ? ticks[1].at - ticks[0].at : plotWidth)

const slant = (ticks: Tick[]): Tick[] =>
  thinOut(ticks, slantedLabelPitch).map(({ at, label }) => ({
    at,
    label: fitText(label, tickText, slantedLabelWidth),
  }))

/** Only every second, third, ... label, as far as needed to give each this much room. */
function thinOut(ticks: Tick[], room: number): Tick[] {
  const every = Math.max(1, Math.ceil(room / pitchOf(ticks)))
  return ticks.map(({ at, label }, index) => ({ at, label: index % every === 0 ? label : '' }))
}

function placePanel(measured: MeasuredPanel, box: Box, plotLeft: number): PanelLayout {
  const { panel, x, y, slanted, left, below } = measured
  const plot = { x: box.x + plotLeft, y: box.y + lineHeight, width: plotWidth, height: plotHeight }
  const shifts = sideShifts(drawnSeries(panel), x, y)
  return { panel, box, plot, x, y, slanted, left, below, shifts }
}

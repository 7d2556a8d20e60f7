import { get } from '@turnwise/core/bounds'
import { drawnSeries } from './figure.ts'
import type { PanelLayout } from './figure-layout.ts'
import { drawLineLabel } from './line-labels.ts'
import { drawSeries } from './series-marks.ts'
import { bodyText, ink, panelTitleText, tickLength, tickText } from './style.ts'
import { element, moveTo, rounded, textElement } from './svg.ts'
import { fitText } from './text.ts'

/** One chart, in coordinates that begin at the upper left corner of its plot. */
export function drawPanel(layout: PanelLayout): string {
  const { panel, box, plot, x, y, shifts, labels } = layout
  const series = drawnSeries(panel)
  return element('g', { class: 'panel', transform: moveTo(plot.x, plot.y) }, [
    textElement('text', fitText(panel.title, panelTitleText, box.x + box.width - plot.x), {
      class: 'panel-title',
      y: -10,
      'font-size': panelTitleText.size,
      'font-weight': 'bold',
    }),
    drawYAxis(layout),
    drawXAxis(layout),
    ...series.map((one, index) => drawSeries(one, x, y, get(shifts, index))),
    ...labels.map(drawLineLabel),
    ...(series.length === 0 ? [drawAbsence(layout)] : []),
  ])
}

function drawYAxis({ y, plot, left }: PanelLayout): string {
  const labelled = y.ticks.filter(({ label }) => label !== '')
  return element('g', { class: 'y-axis', 'font-size': tickText.size, fill: ink.quiet }, [
    ...drawLines(
      'grid',
      ink.grid,
      labelled.map(({ at }) => `M0,${rounded(at)}H${plot.width}`),
    ),
    ...drawLines(
      'ticks',
      ink.axis,
      y.ticks.map(({ at }) => `M0,${rounded(at)}h${-tickLength}`),
    ),
    ...drawLines('axis', ink.axis, [`M0,0V${plot.height}`]),
    ...labelled.map(({ at, label }) =>
      textElement('text', label, { class: 'tick', x: -tickLength - 4, y: at + 4, 'text-anchor': 'end' }),
    ),
    textElement('text', y.title, {
      class: 'axis-title',
      transform: `${moveTo(tickText.size - left, plot.height / 2)} rotate(-90)`,
      'text-anchor': 'middle',
      fill: ink.text,
    }),
  ])
}

function drawXAxis({ x, plot, below, slanted }: PanelLayout): string {
  const labelled = x.ticks.filter(({ label }) => label !== '')
  return element('g', { class: 'x-axis', 'font-size': tickText.size, fill: ink.quiet }, [
    ...drawLines(
      'grid',
      ink.grid,
      labelled.map(({ at }) => `M${rounded(at)},0V${plot.height}`),
    ),
    ...drawLines(
      'ticks',
      ink.axis,
      x.ticks.map(({ at }) => `M${rounded(at)},${plot.height}v${tickLength}`),
    ),
    ...drawLines('axis', ink.axis, [`M0,${plot.height}H${plot.width}`]),
    ...labelled.map(({ at, label }) => {
      const place = moveTo(at, plot.height + tickLength + (slanted ? 8 : 12))
      return textElement('text', label, {
        class: 'tick',
        transform: slanted ? `${place} rotate(-45)` : place,
        'text-anchor': slanted ? 'end' : 'middle',
      })
    }),
    textElement('text', x.title, {
      class: 'axis-title',
      x: plot.width / 2,
      y: plot.height + below - 2,
      'text-anchor': 'middle',
      fill: ink.text,
    }),
  ])
}

/** Many lines of one kind as a single path. */
function drawLines(kind: string, stroke: string, segments: string[]): string[] {
  return segments.length === 0
    ? []
    : [element('path', { class: kind, d: segments.join(''), stroke, fill: 'none' })]
}

/** An empty panel says so, or it would be taken for a mistake of the drawing. */
function drawAbsence({ plot, panel }: PanelLayout): string {
  return textElement('text', fitText(panel.absence ?? 'no data', bodyText, plot.width), {
    class: 'absence',
    x: plot.width / 2,
    y: plot.height / 2,
    'font-size': bodyText.size,
    'text-anchor': 'middle',
    fill: ink.quiet,
  })
}

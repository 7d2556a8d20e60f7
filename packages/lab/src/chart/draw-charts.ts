import { distinctSeries, type Figure } from './figure.ts'
import { layoutFigure } from './layout.ts'
import { drawLegend } from './legend.ts'
import { drawPanel } from './panel.ts'
import { bodyText, fontFamily, ink, titleText } from './style.ts'
import { element, textElement } from './svg.ts'

/**
 * The figure as an SVG document that stands alone. It uses attributes only, no style sheet and no ids, so
 * several figures can also be pasted into one page without touching each other.
 */
export function drawCharts(figure: Figure): string {
  const layout = layoutFigure(figure)
  const width = Math.ceil(layout.width)
  const height = Math.ceil(layout.height)
  const heading = layout.heading.map(({ text, style, x, baseline }) =>
    textElement('text', text, {
      class: style === titleText ? 'title' : 'subtitle',
      x,
      y: baseline,
      'font-size': style.size,
      ...(style === bodyText ? { fill: ink.quiet } : { 'font-weight': 'bold' }),
    }),
  )
  const svg = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'font-family': fontFamily,
      fill: ink.text,
    },
    [
      textElement('title', figure.title),
      textElement('desc', describe(figure)),
      element('rect', { width, height, fill: '#ffffff' }),
      ...heading,
      ...layout.panels.map(drawPanel),
      drawLegend(layout.legend),
    ],
  )
  return `${svg}\n`
}

/** What somebody who cannot see the figure should know of it. */
function describe(figure: Figure): string {
  const panels = figure.panels.map(({ title, xLabel, yLabel }) => `${title}: ${yLabel} against ${xLabel}.`)
  const names = distinctSeries(figure).map(({ name }) => name)
  const series = names.length === 0 ? 'No series.' : `Series: ${names.join(', ')}.`
  const subtitle = figure.subtitle ? [`${figure.subtitle}.`] : []
  return [...subtitle, ...panels, series].join(' ')
}

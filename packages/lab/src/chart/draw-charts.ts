import { distinctSeries, type Figure } from './figure.ts'
import { layoutFigure } from './figure-layout.ts'
import { drawLegend } from './figure-legend.ts'
import { drawPanel } from './panel.ts'
import { bodyText, ink, titleText } from './style.ts'
import { drawing, textElement } from './svg.ts'

/** The figure as an SVG document that stands alone. */
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
  return drawing({ width, height, title: figure.title, about: describe(figure) }, [
    ...heading,
    ...layout.panels.map(drawPanel),
    drawLegend(layout.legend),
  ])
}

/** The description for readers who cannot see the figure. */
function describe(figure: Figure): string {
  const panels = figure.panels.map(({ title, xLabel, yLabel }) => `${title}: ${yLabel} against ${xLabel}.`)
  const names = distinctSeries(figure).map(({ name }) => name)
  const series = names.length === 0 ? 'No series.' : `Series: ${names.join(', ')}.`
  const subtitle = figure.subtitle ? [`${figure.subtitle}.`] : []
  return [...subtitle, ...panels, series].join(' ')
}

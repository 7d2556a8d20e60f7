/** Charts are ink on white. In a document they follow the reader's colour scheme. */
import { ink } from '@turnwise/lab/chart/style'

/** Each colour of the chart, and what stands for it where the page is dark: 4.5:1 and more for text and lines. */
const DARK: Readonly<Record<string, string>> = {
  '#ffffff': '#15181c',
  [ink.text]: '#e8e8e8',
  [ink.quiet]: '#b8b8b8',
  [ink.axis]: '#9a9a9a',
  [ink.grid]: '#30343a',
  '#0072B2': '#56b4e9',
  '#D55E00': '#ff9a4d',
}

export function inBothSchemes(svg: string): string {
  const rules = Object.entries(DARK).flatMap(([light, dark]) => [
    `[fill="${light}"]{fill:${dark}}`,
    `[stroke="${light}"]{stroke:${dark}}`,
  ])
  return svg.replace(
    '</desc>\n',
    `</desc>\n<style>@media (prefers-color-scheme: dark){${rules.join('')}}</style>\n`,
  )
}

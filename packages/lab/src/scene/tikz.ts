import type { Shape } from './shape.ts'
import type { DiagramColours } from './spacetime-frame.ts'
import { BARS } from './spacetime-frame.ts'

/** A pixel of the picture, in points of TeX. */
const POINTS = 0.75

/**
 * The shapes of a space-time diagram as a document of LaTeX that stands alone: `pdflatex` makes a picture of it, and its `tikzpicture` can be copied
 * into another document with the lines above it. It uses TikZ and nothing else.
 */
export function tikzText(
  shapes: readonly Shape[],
  colours: DiagramColours,
  notes: readonly string[],
): string {
  const { ink, muted, line, edge, accent, fails, hues } = colours
  const names = { ink, muted, line, edge, accent, fails }
  const named = [...Object.entries(names), ...hues.map((hue, i) => [`hue${i + 1}`, hue] as const)]
  return [
    ...notes.map((note) => `% ${note.replace(/\s+/g, ' ')}`),
    '\\documentclass[tikz,border=2mm]{standalone}',
    ...named.map(([name, hex]) => `\\definecolor{${name}}{HTML}{${hex.slice(1).toUpperCase()}}`),
    '\\begin{document}',
    `\\begin{tikzpicture}[x=${POINTS}pt,y=-${POINTS}pt,font=\\sffamily\\footnotesize,`,
    '  every node/.style={inner sep=0pt,anchor=base},line cap=butt]',
    ...shapes.flatMap((one) => drawn(one, '')).map((text) => `  ${text}`),
    '\\end{tikzpicture}',
    '\\end{document}',
    '',
  ].join('\n')
}

/** `within` are the classes of the group around it. */
function drawn({ tag, attributes, children }: Shape, within: string): string[] {
  const own = String(attributes['className'] ?? '')
  const number = (name: string) => Number(attributes[name] ?? 0)
  const colour = colourOf(`${within} ${own}`)
  switch (tag) {
    case 'g':
      return children.flatMap((child) => (typeof child === 'string' ? [] : drawn(child, own)))
    case 'line':
      return [`\\draw[line] ${point(number('x1'), number('y1'))} -- ${point(number('x2'), number('y2'))};`]
    case 'circle':
      return [`\\fill[${colour}] ${point(number('cx'), number('cy'))} circle[radius=${size(number('r'))}];`]
    case 'polygon': {
      const corners = String(attributes['points'])
        .split(' ')
        .map((corner) => `(${corner})`)
      return [`\\fill[${colour}] ${corners.join(' -- ')} -- cycle;`]
    }
    case 'path': {
      const way = pathOf(String(attributes['d']))
      return own === 'head'
        ? [`\\fill[${colour}] ${way};`]
        : [`\\draw[${colour},${penOf(own, attributes)}] ${way};`]
    }
    case 'text': {
      const side = attributes['textAnchor'] === 'middle' ? 'base' : 'base west'
      const words = children.map(String).join('')
      return [`\\node[${colour},anchor=${side}] at ${point(number('x'), number('y'))} {${texText(words)}};`]
    }
    default:
      return []
  }
}

function colourOf(classes: string): string {
  const bar = BARS.find(({ is }) => new RegExp(`\\bbar ${is}(?: |$)`).test(classes))
  if (bar !== undefined) return bar.colour
  if (/\bcross\b/.test(classes)) return 'ink'
  const [, hue] = /\bhue-(\d)\b/.exec(classes) ?? []
  if (hue !== undefined) return `hue${hue}`
  if (/\bdot violation\b/.test(classes)) return 'fails'
  return /\bdot\b/.test(classes) ? 'ink' : 'muted'
}

function penOf(own: string, attributes: Shape['attributes']): string {
  const dashes = BARS.find(({ is }) => own === `bar ${is}`)?.dashes ?? []
  const width = `line width=${size(Number(attributes['strokeWidth'] ?? 1.2))}`
  const [on, off] = dashes
  if (on === undefined || off === undefined) return width
  return `${width},dash pattern=on ${size(on)} off ${size(off)}`
}

/** The paths of a diagram consist of straight lines. */
function pathOf(d: string): string {
  return d
    .replace(/([ML]) (-?[\d.]+) (-?[\d.]+)/g, (_, kind: string, x: string, y: string) =>
      kind === 'M' ? point(Number(x), Number(y)) : `-- ${point(Number(x), Number(y))}`,
    )
    .replace('Z', '-- cycle')
}

function point(x: number, y: number): string {
  return `(${x},${y})`
}

function size(pixels: number): string {
  return `${Math.round(pixels * POINTS * 100) / 100}pt`
}

/** What means something to TeX is written so that it is read as it is. */
function texText(text: string): string {
  return text.replace(/[\\{}$&#^_~%]/g, (sign) => (/[\\^~]/.test(sign) ? `\\char\`\\${sign}{}` : `\\${sign}`))
}

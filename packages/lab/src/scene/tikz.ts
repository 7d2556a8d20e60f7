import type { Picture } from './shot.ts'
import { type Declarations, type Named, ownStyle, type Rule, readRules } from './style-sheet.ts'
import type { Attributes, Shape } from './svg-shape.ts'
import { tikzPath, tikzPoint } from './tikz-path.ts'
import { texHead, texText } from './tikz-text.ts'

/** A pixel of the picture, in points of TeX. */
const POINTS = 0.75

/** Around the picture, in points of TeX. */
const MARGIN = 6

/**
 * A picture as a document of LaTeX that stands alone: `pdflatex` makes a page of its size, and its `tikzpicture` can be copied into another document
 * with the lines above it. It uses TikZ and what every LaTeX has: `standalone` is missing in small installations. `style` is the style sheet of the
 * shapes; its colours are variables, each with its value.
 */
export function tikzText(
  { shapes, width, height }: Picture,
  style: string,
  notes: readonly string[],
): string {
  const rules = readRules(style)
  const values = new Map(
    [...style.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
  )
  const used = new Set<string>()
  const colour = (value: string): string => {
    const [, name] = /^var\(--([\w-]+)\)$/.exec(value) ?? []
    if (name === undefined || !values.has(name)) throw new Error(`"${value}" is no colour of the style sheet`)
    used.add(name)
    return colourName(name)
  }
  const drawn = shapes.flatMap((one) => lines(one, { rules, colour, nested: [], inherited: {} }))
  const paper = [width, height].map((side) => `${Math.ceil(side * POINTS + 2 * MARGIN)}pt`)
  return [
    ...notes.map((note) => `% ${note.replace(/\s+/g, ' ')}`),
    // The usual fonts in any size.
    '\\RequirePackage{fix-cm}',
    '\\documentclass{article}',
    `\\usepackage[paperwidth=${paper[0]},paperheight=${paper[1]},margin=${MARGIN}pt]{geometry}`,
    '\\usepackage{tikz}',
    ...texHead(drawn.join('')),
    '\\pagestyle{empty}',
    '\\topskip=0pt',
    '\\parindent=0pt',
    ...[...values]
      .filter(([name]) => used.has(name))
      .map(([name, hex]) => `\\definecolor{${colourName(name)}}{HTML}{${hex.slice(1).toUpperCase()}}`),
    '\\begin{document}',
    `\\begin{tikzpicture}[x=${POINTS}pt,y=-${POINTS}pt,every node/.style={inner sep=0pt},line cap=butt]`,
    `  \\clip (0,0) rectangle (${width},${height});`,
    ...drawn.map((text) => `  ${text}`),
    '\\end{tikzpicture}',
    '\\end{document}',
    '',
  ].join('\n')
}

/** A hyphen means something to colours of LaTeX. */
function colourName(name: string): string {
  return name.replaceAll('-', '')
}

interface Around {
  readonly rules: readonly Rule[]
  readonly colour: (value: string) => string
  readonly nested: readonly Named[]
  readonly inherited: Declarations
}

function lines({ tag, attributes, children }: Shape, around: Around): string[] {
  if (tag === 'title') return []
  const classes = String(attributes['className'] ?? '').split(' ')
  const nested = [...around.nested, { tag, classes }]
  const own = withFont(ownStyle(around.rules, nested))
  const { opacity, ...inherited } = { ...around.inherited, ...own }
  const inner =
    tag === 'g'
      ? children.flatMap((child) =>
          typeof child === 'string' ? [] : lines(child, { ...around, nested, inherited }),
        )
      : tag === 'text'
        ? [words(attributes, children.map(String).join(''), inherited, around.colour)]
        : outline(tag, attributes, inherited, around.colour)
  return placed(inner, attributes, opacity)
}

/** What is moved, and what lets its ground through. */
function placed(inner: readonly string[], { transform }: Attributes, opacity = '1'): string[] {
  const [, x, y] = /^translate\((-?[\d.]+) (-?[\d.]+)\)$/.exec(String(transform ?? '')) ?? []
  const options = [
    ...(x === undefined || y === undefined ? [] : [`shift={(${x},${y})}`]),
    ...(opacity === '1' ? [] : ['transparency group', `opacity=${opacity}`]),
  ]
  if (options.length === 0 || inner.length === 0) return [...inner]
  return [`\\begin{scope}[${options.join(',')}]`, ...inner.map((text) => `  ${text}`), '\\end{scope}']
}

/** The parts of `font`, as declarations of their own. */
function withFont({ font, ...rest }: Declarations): Declarations {
  const [, weight, size, family] = /^(?:(\d+) )?([\d.]+)px (.+)$/.exec(font ?? '') ?? []
  if (size === undefined || family === undefined) return rest
  return { 'font-weight': weight ?? '400', 'font-size': `${size}px`, 'font-family': family, ...rest }
}

type Colour = Around['colour']

function outline(tag: Shape['tag'], attributes: Attributes, style: Declarations, colour: Colour): string[] {
  const paint = (name: 'fill' | 'stroke', otherwise: string): string | null => {
    const given = style[name] ?? otherwise
    const value = given === 'currentColor' ? (style['color'] ?? 'none') : given
    return value === 'none' || value === 'transparent' ? null : colour(value)
  }
  const [fill, stroke] = [tag === 'line' ? null : paint('fill', 'var(--ink)'), paint('stroke', 'none')]
  const options = [
    ...(fill === null ? [] : [`fill=${fill}`]),
    ...(stroke === null ? [] : [`draw=${stroke}`, ...pen(attributes, style)]),
  ]
  if (options.length === 0) return []
  const { rx } = attributes
  const corners = rx === undefined ? [] : [`rounded corners=${points(Number(rx))}`]
  return [`\\path[${[...options, ...corners].join(',')}] ${wayOf(tag, attributes)};`]
}

function pen(attributes: Attributes, style: Declarations): string[] {
  const width = Number.parseFloat(style['stroke-width'] ?? String(attributes['strokeWidth'] ?? 1))
  const [on, off] = (style['stroke-dasharray'] ?? '').split(' ').filter((text) => /^[\d.]+$/.test(text))
  const [cap, join] = [style['stroke-linecap'], style['stroke-linejoin']]
  return [
    `line width=${points(width)}`,
    ...(on === undefined ? [] : [`dash pattern=on ${points(Number(on))} off ${points(Number(off ?? on))}`]),
    ...(cap === 'round' ? ['line cap=round'] : cap === 'square' ? ['line cap=rect'] : []),
    ...(join === 'round' ? ['line join=round'] : []),
  ]
}

function wayOf(tag: Shape['tag'], attributes: Attributes): string {
  const number = (name: string) => Number(attributes[name] ?? 0)
  const place = (x: string, y: string) => tikzPoint({ x: number(x), y: number(y) })
  switch (tag) {
    case 'line':
      return `${place('x1', 'y1')} -- ${place('x2', 'y2')}`
    case 'circle':
      return `${place('cx', 'cy')} circle[radius=${points(number('r'))}]`
    case 'rect': {
      const corner = { x: number('x') + number('width'), y: number('y') + number('height') }
      return `${place('x', 'y')} rectangle ${tikzPoint(corner)}`
    }
    case 'polygon': {
      const corners = String(attributes['points']).split(' ')
      return `${corners.map((corner) => `(${corner})`).join(' -- ')} -- cycle`
    }
    default:
      return tikzPath(String(attributes['d']))
  }
}

const SIDES: Readonly<Record<string, string>> = { middle: 'base', end: 'base east' }

function words(attributes: Attributes, text: string, style: Declarations, colour: Colour): string {
  const given = style['fill'] ?? 'var(--ink)'
  const fill = colour(given === 'currentColor' ? (style['color'] ?? 'var(--ink)') : given)
  const size = Number.parseFloat(style['font-size'] ?? '12')
  const lower = Number.parseFloat(String(attributes['dy'] ?? 0)) * size
  const place = { x: Number(attributes['x'] ?? 0), y: Number(attributes['y'] ?? 0) + lower }
  const face = style['font-family']?.includes('mono') === true ? '\\ttfamily' : '\\sffamily'
  const weight = Number(style['font-weight'] ?? 400) >= 600 ? '\\bfseries' : ''
  const [high, apart] = [POINTS * size, POINTS * size * 1.2].map((value) => Math.round(value * 100) / 100)
  const font = `${face}${weight}\\fontsize{${high}}{${apart}}\\selectfont`
  const side = SIDES[String(attributes['textAnchor'])] ?? 'base west'
  // A rim around the letters, which TikZ does not have, becomes a ground behind them.
  const rim =
    style['stroke'] === undefined || style['stroke'] === 'none'
      ? ''
      : `fill=${colour(style['stroke'])},inner sep=0.75pt,`
  return `\\node[${rim}text=${fill},anchor=${side},font=${font}] at ${tikzPoint(place)} {${texText(text)}};`
}

function points(pixels: number): string {
  return `${Math.round(pixels * POINTS * 100) / 100}pt`
}

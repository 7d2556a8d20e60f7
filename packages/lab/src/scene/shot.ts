import { reasonsOf, timeText } from '@turnwise/core/trace/sentence'
import { sentenceOf } from '../run/event-sentences.ts'
import type { Moment } from '../run/moment.ts'
import type { Property } from '../run/properties.ts'
import type { SpaceTime } from './spacetime.ts'
import { type DiagramColours, diagramColours, placeIn } from './spacetime-frame.ts'
import { diagramStyle, spaceTimeShapes } from './spacetime-shapes.ts'
import { round, type Shape, shape } from './svg-shape.ts'
import { type Stage, topologyShapes } from './topology-shapes.ts'

/** The theatre at one moment, as a picture that leaves the page: title, network, words, and below them room for the diagram. */
export interface Shot {
  readonly title: string
  /** What stands at the other end of the title's line. */
  readonly note: string
  /** Its layout is `STAGE` large. */
  readonly stage: Stage
  readonly properties: readonly Property[]
}

const WIDTH = 860
const HEAD = 40
const EDGE = 16

/** How large the network is in a shot. */
export const STAGE = { width: WIDTH, height: 300 } as const
/** Where the words are, between the two pictures. */
const WORDS = { top: HEAD + STAGE.height, height: 112 } as const
/** Where the diagram is. */
export const DIAGRAM = { top: WORDS.top + WORDS.height, width: WIDTH, height: 190 } as const
export const SHOT = { width: WIDTH, height: DIAGRAM.top + DIAGRAM.height } as const

/** All of a shot but its diagram: a film paints that on a canvas, a picture has it as shapes. */
export function shotShapes({ title, note, stage, properties }: Shot): Shape[] {
  const rule = (key: string, y: number) =>
    shape('line', key, { className: 'rule', x1: 0, y1: y, x2: WIDTH, y2: y })
  return [
    shape('rect', 'ground', { className: 'ground', width: SHOT.width, height: SHOT.height }),
    text('title', 'title', EDGE, 26, title),
    shape('text', 'note', { className: 'note', x: WIDTH - EDGE, y: 26, textAnchor: 'end' }, [note]),
    shape(
      'g',
      'network',
      { className: 'topology', transform: `translate(0 ${HEAD})` },
      topologyShapes(stage).map(still),
    ),
    rule('above the words', WORDS.top),
    ...wordShapes(stage),
    ...chipShapes(properties),
    rule('below the words', DIAGRAM.top),
  ]
}

/** Where a diagram is, and whether it leaves the times to another one below it. */
interface DiagramPlace {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly isBare: boolean
}

/** A diagram at a time in ticks: what comes later is faint. */
export function shotDiagram(
  picture: SpaceTime,
  now: number,
  { left, top, width, height, isBare }: DiagramPlace = { ...DIAGRAM, left: 0, isBare: false },
): Shape {
  const frame = { width, height, isUpright: false, isBare }
  const { x } = placeIn(frame, picture)(now, 0)
  return shape('g', 'diagram', { className: 'diagram', transform: `translate(${left} ${top})` }, [
    ...spaceTimeShapes(picture, frame),
    shape('rect', 'future', { className: 'future', x, y: 0, width: width - x, height }),
    shape('line', 'cursor', { className: 'cursor', x1: x, y1: 0, x2: x, y2: height }),
  ])
}

/** Shapes, and how large the picture of them is. */
export interface Picture {
  readonly shapes: readonly Shape[]
  readonly width: number
  readonly height: number
}

/** The same on the ground of its scheme. */
export function onGround({ shapes, width, height }: Picture): Picture {
  const ground = shape('rect', 'ground', { className: 'ground', width, height })
  return { shapes: [ground, ...shapes], width, height }
}

/** The network alone. */
export function networkShapes(stage: Stage): Shape[] {
  return [shape('g', 'network', { className: 'topology' }, topologyShapes(stage).map(still))]
}

function text(key: string, className: string, x: number, y: number, words: string): Shape {
  return shape('text', key, { className, x: round(x), y: round(y) }, [words])
}

/** In a picture nothing can be reached or named: it is one image, which its page describes. */
function still({ tag, key, attributes, children }: Shape): Shape {
  const { className, ...rest } = attributes
  const kept = Object.entries(rest).filter(([name]) => !/^(?:tabIndex|role|aria-.*|data-.*)$/.test(name))
  const inner = children.flatMap((child): (Shape | string)[] =>
    typeof child === 'string' ? [child] : child.tag === 'title' || isTarget(child) ? [] : [still(child)],
  )
  return shape(tag, key, { className, ...Object.fromEntries(kept) }, inner)
}

/** What is there for the finger alone. */
function isTarget({ attributes }: Shape): boolean {
  return attributes['className'] === 'target'
}

/** So many letters of a text have room in a line; its face is not known. */
const SENTENCE_LETTERS = 96
const REASON_LETTERS = 118

/** What happened last, as a sentence without its full stop. */
export function saidAt({ happening }: Moment): string {
  const told = happening === null ? 'nothing has happened yet' : sentenceOf(happening)
  return capital(`${/^\d/.test(told) ? 'node ' : ''}${told}`)
}

/** What happened last, and why. */
function wordShapes({ moment }: Stage): Shape[] {
  const { happening } = moment
  const [first = '', second] = lines(saidAt(moment), SENTENCE_LETTERS, 2)
  const why = happening === null ? '' : reasonsOf(happening).join(' ')
  const reasons = lines(why, REASON_LETTERS, second === undefined ? 2 : 1)
  const y = WORDS.top + 26
  return [
    text('when', 'when', EDGE, y, timeText(moment.at)),
    text('said', 'said', EDGE + 64, y, first),
    ...(second === undefined ? [] : [text('said on', 'said', EDGE + 64, y + 20, second)]),
    ...reasons.map((line, i) =>
      text(`why ${i}`, 'why', EDGE + 64, y + (second === undefined ? 21 : 41) + 18 * i, line),
    ),
  ]
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** Breaks a text between words; what has no room in the last line is left out, and marked. */
export function lines(words: string, letters: number, most: number): string[] {
  const all: string[] = []
  for (const word of words.split(' ').filter((one) => one !== '')) {
    const last = all.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= letters)
      all[all.length - 1] = `${last} ${word}`
    else all.push(word)
  }
  if (all.length <= most) return all
  const kept = all.slice(0, most)
  return kept.map((line, i) => (i === most - 1 ? `${shortened(line, letters - 2)} …` : line))
}

/** Without the words that have no room. */
function shortened(line: string, letters: number): string {
  if (line.length <= letters) return line
  const end = line.lastIndexOf(' ', letters)
  return line.slice(0, end > 0 ? end : letters)
}

const SIGNS = { holds: '✓', fails: '✗', open: '?' } as const

/** The properties in one line; what fails says why, in place of its name. */
function chipShapes(properties: readonly Property[]): Shape[] {
  const y = WORDS.top + 94
  let x = EDGE
  const shapes: Shape[] = []
  for (const { name, title, holds, reason } of properties) {
    const is = holds === null ? 'open' : holds ? 'holds' : 'fails'
    const words = `${SIGNS[is]} ${holds === true ? title : reason}`
    const width = 7.2 * words.length + 20
    if (x + width > WIDTH - EDGE) break
    shapes.push(
      shape('g', `chip ${name}`, { className: `chip ${is}` }, [
        shape('rect', 'box', { x: round(x), y: y - 16, width: round(width), height: 23, rx: 11 }),
        text('words', 'words', x + 10, y, words),
      ]),
    )
    x += width + 8
  }
  return shapes
}

/** The colours of a picture that has the variables of the page's style sheet in it. */
export const VARIABLE_COLOURS: DiagramColours = diagramColours((name) => `var(--${name})`, 'var(--mono)')

/** What a shot looks like. `sheets` are those of the page: the tokens of both schemes, and the picture of the network. */
export function shotStyle(
  sheets: { readonly tokens: string; readonly network: string },
  scheme: 'light' | 'dark' | 'both',
): string {
  return [
    variablesIn(sheets.tokens, scheme),
    compact(sheets.network),
    '.node .arc { animation: none; }',
    '.ground { fill: var(--surface); }',
    '.rule, .edge { stroke: var(--line); }',
    '.title, .said { fill: var(--ink); font: 600 15px var(--sans); }',
    '.said { font-weight: 400; }',
    '.note, .when, .why { fill: var(--muted); font: 13px var(--sans); }',
    '.when { font-family: var(--mono); }',
    '.chip rect { fill: none; stroke: var(--line); }',
    '.chip text { fill: var(--muted); font: 13px var(--sans); }',
    '.chip.holds text { fill: var(--holds); }',
    '.chip.fails rect { fill: var(--fails-soft); stroke: var(--fails); }',
    '.chip.fails text { fill: var(--fails); }',
    '.future { fill: var(--surface); opacity: 0.55; }',
    '.cursor { stroke: var(--accent); }',
    diagramStyle(VARIABLE_COLOURS, '.diagram'),
  ].join('\n')
}

/** The variables of the style sheet, for one scheme, or for the one that the reader prefers. */
export function variablesIn(tokens: string, scheme: 'light' | 'dark' | 'both'): string {
  const of = (wanted: string) => {
    const [, rule = ''] = new RegExp(`\\[data-scheme="${wanted}"\\] \\{([^}]*)\\}`).exec(tokens) ?? []
    return compact(rule)
  }
  const [, faces = ''] = /:root \{([^}]*)\}/.exec(tokens) ?? []
  const common = `:root { ${compact(faces).replaceAll('"', "'")} }`
  if (scheme !== 'both') return `${common}\n:root { ${of(scheme)} }`
  return `${common}\n:root { ${of('light')} }\n@media (prefers-color-scheme: dark) { :root { ${of('dark')} } }`
}

/** The same for tools that know no variables of style sheets: each has its value instead. */
export function plainStyle(
  sheets: { readonly tokens: string; readonly network: string },
  scheme: 'light' | 'dark',
): string {
  const variables = variablesIn(sheets.tokens, scheme)
  const values = new Map(
    [...variables.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name = '', value = '']) => [name, value]),
  )
  return shotStyle(sheets, scheme)
    .replace(variables, '')
    .replace(/var\(--([\w-]+)\)/g, (_, name: string) => values.get(name) ?? 'none')
    .trim()
}

/** Without comments and line ends. */
function compact(css: string): string {
  return css
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

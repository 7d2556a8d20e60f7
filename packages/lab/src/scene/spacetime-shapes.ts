import { get } from '@turnwise/core/bounds'
import { timeText } from '@turnwise/core/trace/sentence'
import { at } from './geometry.ts'
import { letterPlace } from './letter-place.ts'
import type { Point } from './network-layout.ts'
import type { Arrow, Dot, SpaceTime } from './spacetime.ts'
import {
  AXIS,
  BARS,
  crossAt,
  type DiagramColours,
  directionOf,
  type Frame,
  GUTTER,
  headAt,
  laneRoom,
  MOST_HEADS,
  MOST_LETTERS,
  namedEvery,
  placeIn,
  timesIn,
  timesShown,
} from './spacetime-frame.ts'
import { round, type Shape, shape } from './svg-shape.ts'

type Place = ReturnType<typeof placeIn>

/** The diagram as shapes, for files and documents; the page paints the same on a canvas. `diagramStyle` says what its classes look like. */
export function spaceTimeShapes(picture: SpaceTime, frame: Frame): Shape[] {
  const place = placeIn(frame, picture)
  return [
    ...laneShapes(picture, frame, place),
    ...barShapes(picture, frame, place),
    ...arrowShapes(picture, place),
    ...picture.points.map((dot) => dotShape(dot, place)),
    ...axisShapes(picture, frame, place),
  ]
}

function laneShapes({ nodes, from, to }: SpaceTime, frame: Frame, place: Place): Shape[] {
  const every = namedEvery(laneRoom(frame, nodes))
  return Array.from({ length: nodes }, (_, node) => {
    const [start, end] = [place(from, node), place(to, node)]
    const name = frame.isUpright ? { x: start.x, y: AXIS - 8 } : { x: GUTTER - 12, y: start.y + 4 }
    const line = { x1: round(start.x), y1: round(start.y), x2: round(end.x), y2: round(end.y) }
    const text = { x: round(name.x), y: round(name.y), textAnchor: 'middle' }
    return shape('g', `lane ${node}`, { className: 'lane' }, [
      shape('line', 'line', line),
      ...(node % every === 0 ? [shape('text', 'name', text, [String(node)])] : []),
    ])
  })
}

function barShapes(picture: SpaceTime, frame: Frame, place: Place): Shape[] {
  const room = laneRoom(frame, picture.nodes)
  return BARS.flatMap(({ is, width }) =>
    picture.bars
      .filter((bar) => bar.is === is)
      .map(({ node, from, to }, i) => {
        const start = place(Math.max(from, picture.from), node)
        const end = place(Math.min(to, picture.to), node)
        return shape('path', `${is} ${i}`, {
          className: `bar ${is}`,
          d: `M ${at(start)} L ${at(end)}`,
          strokeWidth: round(Math.min(width, 0.7 * room)),
        })
      }),
  )
}

function arrowShapes({ arrows, from }: SpaceTime, place: Place): Shape[] {
  const taken: Point[] = []
  const hasHeads = arrows.length <= MOST_HEADS
  const hasLetters = arrows.length <= MOST_LETTERS
  return arrows.map((arrow, i) => {
    const { mark, ends, isCopy } = arrow
    const [start, end] = [place(arrow.sentAt, arrow.from), place(arrow.endsAt, arrow.to)]
    const state = ends === 'lost' ? ' lost' : ends === null ? ' open' : ''
    const spot = hasLetters && mark !== undefined ? letterPlace(start, end, taken) : null
    if (spot !== null) taken.push(spot)
    return shape(
      'g',
      `arrow ${i}`,
      { className: `arrow hue-${mark?.hue ?? 1}${state}${isCopy ? ' copy' : ''}` },
      [
        shape('path', 'way', { className: 'way', d: `M ${at(begun(arrow, from, place))} L ${at(end)}` }),
        ...(hasHeads ? endShapes(arrow, start, end) : []),
        ...(spot === null ? [] : [shape('text', 'letter', { ...spotAt(spot) }, [mark?.letter ?? ''])]),
      ],
    )
  })
}

/** A message that was sent before the window begins is cut off at its edge. */
function begun({ from, to, sentAt, endsAt }: Arrow, edge: number, place: Place): Point {
  const [start, end] = [place(sentAt, from), place(endsAt, to)]
  if (sentAt >= edge || endsAt <= sentAt) return start
  const share = (edge - sentAt) / (endsAt - sentAt)
  return { x: start.x + share * (end.x - start.x), y: start.y + share * (end.y - start.y) }
}

function spotAt({ x, y }: Point) {
  return { x: round(x), y: round(y), textAnchor: 'middle' }
}

/** The head of a message that arrives, the cross of one that is lost. */
function endShapes({ ends }: Arrow, start: Point, end: Point): Shape[] {
  const direction = directionOf(start, end)
  if (direction === null) return []
  if (ends === 'received') {
    const corners = headAt(end, direction).map(at)
    return [shape('path', 'head', { className: 'head', d: `M ${corners.join(' L ')} Z` })]
  }
  if (ends !== 'lost') return []
  const { x, y } = crossAt(end, direction)
  const corner = (dx: number, dy: number) => at({ x: x + dx, y: y + dy })
  const d = `M ${corner(-4, -4)} L ${corner(4, 4)} M ${corner(-4, 4)} L ${corner(4, -4)}`
  return [shape('path', 'cross', { className: 'cross', d })]
}

/** A step is a dot, everything that befalls a node a triangle. */
function dotShape({ node, at: time, is, happening }: Dot, place: Place): Shape {
  const { x, y } = place(time, node)
  const [key, className] = [`dot ${happening} ${node}`, `dot ${is}`]
  if (is === 'step') return shape('circle', key, { className, cx: round(x), cy: round(y), r: 2 })
  const corners = [
    [x + 6, y + 6],
    [x - 6, y + 6],
    [x, y - 6],
  ].map((corner) => corner.map(round).join(','))
  return shape('polygon', key, { className, points: corners.join(' ') })
}

function axisShapes(picture: SpaceTime, frame: Frame, place: Place): Shape[] {
  const shown = frame.isBare === true ? [] : timesIn(picture, timesShown(frame))
  const times = shown.map(({ at: time, text }) => {
    const { x, y } = place(time, 0)
    const spot = frame.isUpright ? { x: 4, y: y + 4 } : { x, y: frame.height - 6 }
    const textAnchor = frame.isUpright ? 'start' : 'middle'
    return shape('text', `time ${timeText(time)}`, { className: 'time', ...spotAt(spot), textAnchor }, [text])
  })
  if (picture.leftOut === 0) return times
  const words = `${picture.leftOut} messages: zoom in to see them`
  return [
    ...times,
    shape('text', 'left out', { className: 'time', x: frame.isUpright ? 40 : GUTTER, y: 12 }, [words]),
  ]
}

/** What the classes of the diagram look like. `within` is a selector in front of each, where it is a part of a page. */
export function diagramStyle(colours: DiagramColours, within = ''): string {
  const { ink, muted, line, fails, hues, face } = colours
  const rules = [
    `text { font: 12px ${face.replaceAll('"', "'")}; fill: ${muted}; }`,
    `.lane line { stroke: ${line}; }`,
    '.bar, .way, .cross { fill: none; }',
    ...BARS.map(
      ({ is, colour, dashes }) =>
        `.bar.${is} { stroke: ${colours[colour]};${dashes.length === 0 ? '' : ` stroke-dasharray: ${dashes.join(' ')};`} }`,
    ),
    '.way, .cross { stroke-width: 1.2; }',
    `.cross { stroke: ${ink}; }`,
    ...hues.flatMap((_, i) => [
      `.hue-${i + 1} .way { stroke: ${get(hues, i)}; }`,
      `.hue-${i + 1} .head, .hue-${i + 1} text { fill: ${get(hues, i)}; }`,
    ]),
    `.dot { fill: ${ink}; }`,
    `.dot.violation { fill: ${fails}; }`,
  ]
  return rules
    .map((rule) => (within === '' ? rule : rule.replace(/^[^{]*/, (names) => prefixed(names, within))))
    .join('\n')
}

function prefixed(names: string, within: string): string {
  return `${names
    .trim()
    .split(', ')
    .map((name) => `${within} ${name}`)
    .join(', ')} `
}

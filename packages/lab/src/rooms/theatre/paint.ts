import type { Cones } from '../../run/causality.ts'
import type { Arrow, Bar, Dot, SpaceTime } from '../../scene/spacetime.ts'
import { AXIS, type Frame, GUTTER, placeIn, timesIn } from '../../scene/spacetime-shapes.ts'

/** Colours of the scheme that is on, as the style sheet has them. */
export interface Colours {
  readonly ink: string
  readonly muted: string
  readonly line: string
  readonly edge: string
  readonly accent: string
  readonly fails: string
  readonly faint: string
  readonly hues: readonly string[]
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    ink: colour('ink'),
    muted: colour('muted'),
    line: colour('line'),
    edge: colour('edge'),
    accent: colour('accent'),
    fails: colour('fails'),
    faint: colour('faint'),
    hues: [1, 2, 3, 4, 5, 6].map((hue) => colour(`hue-${hue}`)),
  }
}

/** What is lit: a happening, with its causal past and future. */
export interface Lit {
  readonly happening: number
  readonly cones: Cones
}

type Context = CanvasRenderingContext2D
type Place = ReturnType<typeof placeIn>

/** Paints the diagram. Lines of one colour are one path: a canvas draws thousands of them at once. */
export function paint(
  context: Context,
  picture: SpaceTime,
  frame: Frame,
  colours: Colours,
  lit: Lit | null,
): void {
  const place = placeIn(frame, picture)
  context.clearRect(0, 0, frame.width, frame.height)
  context.lineCap = 'butt'
  paintLanes(context, picture, frame, colours, place)
  context.save()
  context.beginPath()
  // What begins before the window is cut off at its edge, not drawn over the names.
  if (frame.isUpright) context.rect(0, AXIS - 2, frame.width, frame.height)
  else context.rect(GUTTER - 6, 0, frame.width, frame.height)
  context.clip()
  // Where lanes are close a bar is no wider than its lane.
  const room = (frame.isUpright ? frame.width - GUTTER : frame.height - AXIS) / picture.nodes
  for (const bar of picture.bars) paintBar(context, bar, picture, colours, place, room)
  paintArrows(context, picture, colours, place, lit)
  for (const dot of picture.points) paintDot(context, dot, colours, place, lit)
  context.restore()
  paintAxis(context, picture, frame, colours, place)
}

function isLit(lit: Lit | null, happening: number): boolean {
  if (lit === null) return true
  const { cones } = lit
  return lit.happening === happening || cones.past.has(happening) || cones.future.has(happening)
}

function paintLanes(
  context: Context,
  { nodes, from, to }: SpaceTime,
  frame: Frame,
  colours: Colours,
  place: Place,
): void {
  context.strokeStyle = colours.line
  context.lineWidth = 1
  context.beginPath()
  for (let node = 0; node < nodes; node += 1) {
    const [start, end] = [place(from, node), place(to, node)]
    context.moveTo(start.x, start.y)
    context.lineTo(end.x, end.y)
  }
  context.stroke()
  const room = (frame.isUpright ? frame.width - GUTTER : frame.height - AXIS) / nodes
  const every = Math.max(1, Math.ceil(14 / room))
  context.fillStyle = colours.muted
  context.textAlign = frame.isUpright ? 'center' : 'right'
  for (let node = 0; node < nodes; node += every) {
    const { x, y } = place(from, node)
    if (frame.isUpright) context.fillText(String(node), x, AXIS - 8)
    else context.fillText(String(node), GUTTER - 10, y + 4)
  }
}

const BAR_WIDTHS = { inside: 9, waiting: 3, down: 5, paused: 5 }

function paintBar(
  context: Context,
  { is, node, from, to }: Bar,
  picture: SpaceTime,
  colours: Colours,
  place: Place,
  room: number,
): void {
  const start = place(Math.max(from, picture.from), node)
  const end = place(Math.min(to, picture.to), node)
  context.lineWidth = Math.min(BAR_WIDTHS[is], 0.7 * room)
  context.strokeStyle = is === 'inside' ? colours.accent : is === 'waiting' ? colours.edge : colours.ink
  context.setLineDash(is === 'down' ? [2, 3] : is === 'paused' ? [6, 4] : [])
  context.beginPath()
  context.moveTo(start.x, start.y)
  context.lineTo(end.x, end.y)
  context.stroke()
  context.setLineDash([])
}

/** Letters on more arrows than this cover each other. */
const MOST_LETTERS = 160

function paintArrows(
  context: Context,
  { arrows }: SpaceTime,
  colours: Colours,
  place: Place,
  lit: Lit | null,
): void {
  const isBright = ({ cause, effect }: Arrow) =>
    isLit(lit, cause) && (effect === null ? lit === null : isLit(lit, effect))
  for (const [shown, alpha] of [
    [arrows.filter((arrow) => !isBright(arrow)), 0.15],
    [arrows.filter(isBright), 1],
  ] as const) {
    context.globalAlpha = alpha
    context.lineWidth = shown.length > 1200 ? 0.6 : 1.2
    colours.hues.forEach((hue, index) => {
      const ofHue = shown.filter(({ mark }) => (mark?.hue ?? 1) === index + 1)
      if (ofHue.length === 0) return
      context.strokeStyle = hue
      context.fillStyle = hue
      context.beginPath()
      for (const arrow of ofHue) traceArrow(context, arrow, place)
      context.stroke()
      if (shown.length > 1200) return
      const withLetters = shown.length <= MOST_LETTERS
      for (const arrow of ofHue) paintEnd(context, arrow, colours, place, withLetters)
    })
  }
  context.globalAlpha = 1
}

function traceArrow(context: Context, { from, to, sentAt, endsAt }: Arrow, place: Place): void {
  const [start, end] = [place(sentAt, from), place(endsAt, to)]
  context.moveTo(start.x, start.y)
  context.lineTo(end.x, end.y)
}

/** A head where it arrives, a cross where it is lost, and the letter of its type where there is room. */
function paintEnd(
  context: Context,
  { from, to, sentAt, endsAt, ends, mark }: Arrow,
  colours: Colours,
  place: Place,
  withLetter: boolean,
): void {
  const [start, end] = [place(sentAt, from), place(endsAt, to)]
  const length = Math.hypot(end.x - start.x, end.y - start.y)
  if (length < 12) return
  const [dx, dy] = [(end.x - start.x) / length, (end.y - start.y) / length]
  context.beginPath()
  if (ends === 'lost') {
    const [x, y] = [end.x - 8 * dx, end.y - 8 * dy]
    context.strokeStyle = colours.ink
    context.moveTo(x - 4, y - 4)
    context.lineTo(x + 4, y + 4)
    context.moveTo(x - 4, y + 4)
    context.lineTo(x + 4, y - 4)
    context.stroke()
  } else if (ends === 'received') {
    const [x, y] = [end.x - 3 * dx, end.y - 3 * dy]
    context.moveTo(x, y)
    context.lineTo(x - 7 * dx - 3 * dy, y - 7 * dy + 3 * dx)
    context.lineTo(x - 7 * dx + 3 * dy, y - 7 * dy - 3 * dx)
    context.fill()
  }
  if (!withLetter || length < 60 || mark === undefined) return
  const [x, y] = [start.x + 0.3 * length * dx, start.y + 0.3 * length * dy]
  context.textAlign = 'center'
  context.fillText(mark.letter, x + 8 * Math.abs(dy) + 2, y - 5 * Math.abs(dx))
}

function paintDot(
  context: Context,
  { node, at, is, happening }: Dot,
  colours: Colours,
  place: Place,
  lit: Lit | null,
): void {
  const { x, y } = place(at, node)
  context.globalAlpha = isLit(lit, happening) ? 1 : 0.2
  const isMarked = lit?.happening === happening
  context.fillStyle = is === 'violation' ? colours.fails : isMarked ? colours.accent : colours.ink
  context.beginPath()
  if (is === 'step') context.arc(x, y, isMarked ? 5 : 2, 0, 2 * Math.PI)
  else {
    const size = 6
    context.moveTo(x, y - size)
    context.lineTo(x + size, y + size)
    context.lineTo(x - size, y + size)
  }
  context.fill()
  context.globalAlpha = 1
}

function paintAxis(context: Context, picture: SpaceTime, frame: Frame, colours: Colours, place: Place): void {
  context.fillStyle = colours.muted
  context.textAlign = frame.isUpright ? 'left' : 'center'
  const room = frame.isUpright ? frame.height / 60 : frame.width / 90
  for (const { at, text } of timesIn(picture, Math.max(2, Math.floor(room)))) {
    const { x, y } = place(at, 0)
    if (frame.isUpright) context.fillText(text, 4, y + 4)
    else context.fillText(text, x, frame.height - 6)
  }
  if (picture.leftOut === 0) return
  context.textAlign = 'left'
  context.fillText(`${picture.leftOut} messages: zoom in to see them`, frame.isUpright ? 40 : GUTTER, 12)
}

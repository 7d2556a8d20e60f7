import { get } from '@turnwise/core/bounds'
import { letterPlace } from '../../scene/letter-place.ts'
import type { Point } from '../../scene/network-layout.ts'
import type { Arrow, Dot, SpaceTime } from '../../scene/spacetime.ts'
import {
  AXIS,
  BARS,
  crossAt,
  type DiagramColours,
  diagramColours,
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
} from '../../scene/spacetime-frame.ts'

/** Colours of the scheme that is on, and the face, as the style sheet has them. */
export interface Colours extends DiagramColours {
  readonly faint: string
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return { ...diagramColours(colour, style.fontFamily), faint: colour('faint') }
}

/** What is lit; the rest is dim. Happenings by their numbers from 0. */
export interface Lit {
  /** Drawn large. */
  isMarked(happening: number): boolean
  hasStep(happening: number): boolean
  hasArrow(arrow: Arrow): boolean
}

type Context = CanvasRenderingContext2D
type Place = ReturnType<typeof placeIn>

/** Paints the diagram. Whatever has one colour is one path: a canvas draws thousands of lines at once. */
export function paint(
  context: Context,
  picture: SpaceTime,
  frame: Frame,
  colours: Colours,
  lit: Lit | null,
): void {
  const place = placeIn(frame, picture)
  clear(context, picture, frame, colours)
  context.lineCap = 'butt'
  paintLanes(context, picture, colours, place)
  context.save()
  context.beginPath()
  // What begins before the window is cut off at its edge, not drawn over the names.
  if (frame.isUpright) context.rect(0, AXIS - 2, frame.width, frame.height)
  else context.rect(GUTTER - 6, 0, frame.width, frame.height)
  context.clip()
  paintBars(context, picture, frame, colours, place)
  paintArrows(context, picture, colours, place, lit)
  paintDots(context, picture, colours, place, lit)
  context.restore()
  paintAxis(context, picture, frame, colours, place)
}

/** What the names of the lanes that stand on a canvas are painted for. */
const named = new WeakMap<Context, { frame: Frame; colours: Colours; nodes: number }>()

/** A canvas that was given a size is empty. */
export function forgetNames(context: Context): void {
  named.delete(context)
}

/** Text costs more than all else, and the names of the lanes stay where they are: they are left, unless something about them changed. */
function clear(context: Context, { nodes }: SpaceTime, frame: Frame, colours: Colours): void {
  const { width, height, isUpright } = frame
  const last = named.get(context)
  if (last?.frame === frame && last.colours === colours && last.nodes === nodes) {
    if (isUpright) return context.clearRect(0, AXIS - 4, width, height)
    context.clearRect(NAMES, 0, width, height)
    // The first time can reach below the names.
    if (frame.isBare !== true) context.clearRect(0, height - AXIS, NAMES, AXIS)
    return
  }
  named.set(context, { frame, colours, nodes })
  context.clearRect(0, 0, width, height)
  const place = placeIn(frame, { nodes, from: 0, to: 1 })
  const every = namedEvery(laneRoom(frame, nodes))
  context.fillStyle = colours.muted
  context.textAlign = isUpright ? 'center' : 'right'
  for (let node = 0; node < nodes; node += every) {
    const { x, y } = place(0, node)
    if (isUpright) context.fillText(String(node), x, AXIS - 8)
    else context.fillText(String(node), GUTTER - 10, y + 4)
  }
}

/** The names of the lanes are left of this. */
const NAMES = GUTTER - 8

function paintLanes(context: Context, { nodes, from, to }: SpaceTime, colours: Colours, place: Place): void {
  context.strokeStyle = colours.line
  context.lineWidth = 1
  context.beginPath()
  for (let node = 0; node < nodes; node += 1) {
    const [start, end] = [place(from, node), place(to, node)]
    context.moveTo(start.x, start.y)
    context.lineTo(end.x, end.y)
  }
  context.stroke()
}

function paintBars(context: Context, picture: SpaceTime, frame: Frame, colours: Colours, place: Place): void {
  const room = laneRoom(frame, picture.nodes)
  for (const { is, width, colour, dashes } of BARS) {
    context.lineWidth = Math.min(width, 0.7 * room)
    context.strokeStyle = colours[colour]
    context.setLineDash([...dashes])
    context.beginPath()
    for (const bar of picture.bars) {
      if (bar.is !== is) continue
      const start = place(Math.max(bar.from, picture.from), bar.node)
      const end = place(Math.min(bar.to, picture.to), bar.node)
      context.moveTo(start.x, start.y)
      context.lineTo(end.x, end.y)
    }
    context.stroke()
  }
  context.setLineDash([])
}

function paintArrows(
  context: Context,
  { arrows }: SpaceTime,
  colours: Colours,
  place: Place,
  lit: Lit | null,
): void {
  const bright = lit === null ? arrows : arrows.filter((arrow) => lit.hasArrow(arrow))
  if (lit !== null) {
    context.globalAlpha = 0.15
    const dim = arrows.filter((arrow) => !lit.hasArrow(arrow))
    paintEqual(context, dim, colours, place)
    context.globalAlpha = 1
  }
  paintEqual(context, bright, colours, place)
}

/** Arrows that are equally bright: for each hue all lines, then all heads, then the letters. */
function paintEqual(context: Context, arrows: readonly Arrow[], colours: Colours, place: Place): void {
  const byHue = colours.hues.map((): Way[] => [])
  for (const arrow of arrows) {
    const [start, end] = [place(arrow.sentAt, arrow.from), place(arrow.endsAt, arrow.to)]
    get(byHue, (arrow.mark?.hue ?? 1) - 1).push({ arrow, start, end })
  }
  const taken: Point[] = []
  byHue.forEach((ways, index) => {
    if (ways.length === 0) return
    context.strokeStyle = get(colours.hues, index)
    context.fillStyle = get(colours.hues, index)
    context.lineWidth = arrows.length > MOST_HEADS ? 0.6 : 1.2
    context.beginPath()
    for (const { start, end } of ways) {
      context.moveTo(start.x, start.y)
      context.lineTo(end.x, end.y)
    }
    context.stroke()
    if (arrows.length > MOST_HEADS) return
    paintHeads(context, ways)
    paintLosses(context, ways, colours)
    if (arrows.length <= MOST_LETTERS) paintLetters(context, ways, taken)
  })
}

/** An arrow, and where it goes on the canvas. */
interface Way {
  readonly arrow: Arrow
  readonly start: Point
  readonly end: Point
}

function paintHeads(context: Context, ways: readonly Way[]): void {
  context.beginPath()
  for (const way of ways) {
    const direction = way.arrow.ends === 'received' ? directionOf(way.start, way.end) : null
    if (direction === null) continue
    const [tip, left, right] = headAt(way.end, direction)
    context.moveTo(tip.x, tip.y)
    context.lineTo(left.x, left.y)
    context.lineTo(right.x, right.y)
  }
  context.fill()
}

/** A cross where a message is lost. */
function paintLosses(context: Context, ways: readonly Way[], colours: Colours): void {
  context.strokeStyle = colours.ink
  context.beginPath()
  for (const way of ways) {
    const direction = way.arrow.ends === 'lost' ? directionOf(way.start, way.end) : null
    if (direction === null) continue
    const { x, y } = crossAt(way.end, direction)
    context.moveTo(x - 4, y - 4)
    context.lineTo(x + 4, y + 4)
    context.moveTo(x - 4, y + 4)
    context.lineTo(x + 4, y - 4)
  }
  context.stroke()
}

/** The letter of its type, on arrows that have room for one. */
function paintLetters(context: Context, ways: readonly Way[], taken: Point[]): void {
  context.textAlign = 'center'
  for (const { arrow, start, end } of ways) {
    const spot = arrow.mark === undefined ? null : letterPlace(start, end, taken)
    if (arrow.mark === undefined || spot === null) continue
    taken.push(spot)
    context.fillText(arrow.mark.letter, spot.x, spot.y)
  }
}

function paintDots(
  context: Context,
  { points }: SpaceTime,
  colours: Colours,
  place: Place,
  lit: Lit | null,
): void {
  const isMarked = ({ happening }: Dot) => lit?.isMarked(happening) === true
  const paintAll = (dots: readonly Dot[], colour: string, isLarge = false) => {
    context.fillStyle = colour
    context.beginPath()
    for (const dot of dots) traceDot(context, dot, place, isLarge)
    context.fill()
  }
  const plain = points.filter((dot) => dot.is !== 'violation' && !isMarked(dot))
  if (lit === null) paintAll(plain, colours.ink)
  else {
    const [bright, dim] = [
      plain.filter(({ happening }) => lit.hasStep(happening)),
      plain.filter(({ happening }) => !lit.hasStep(happening)),
    ]
    context.globalAlpha = 0.2
    paintAll(dim, colours.ink)
    context.globalAlpha = 1
    paintAll(bright, colours.ink)
  }
  const broken = points.filter(({ is }) => is === 'violation')
  if (broken.length > 0) paintAll(broken, colours.fails)
  const chosen = points.filter((dot) => dot.is !== 'violation' && isMarked(dot))
  if (chosen.length > 0) paintAll(chosen, colours.accent, true)
}

/** A step is a dot, everything that befalls a node a triangle. */
function traceDot(context: Context, { node, at, is }: Dot, place: Place, isLarge: boolean): void {
  const { x, y } = place(at, node)
  const size = is === 'step' ? (isLarge ? 5 : 2) : 6
  context.moveTo(x + size, is === 'step' ? y : y + size)
  if (is === 'step') return context.arc(x, y, size, 0, 2 * Math.PI)
  context.lineTo(x - size, y + size)
  context.lineTo(x, y - size)
}

function paintAxis(context: Context, picture: SpaceTime, frame: Frame, colours: Colours, place: Place): void {
  context.fillStyle = colours.muted
  context.textAlign = frame.isUpright ? 'left' : 'center'
  const times = frame.isBare === true ? [] : timesIn(picture, timesShown(frame))
  for (const { at, text } of times) {
    const { x, y } = place(at, 0)
    if (frame.isUpright) context.fillText(text, 4, y + 4)
    else context.fillText(text, x, frame.height - 6)
  }
  if (picture.leftOut === 0) return
  context.textAlign = 'left'
  context.fillText(`${picture.leftOut} messages: zoom in to see them`, frame.isUpright ? 40 : GUTTER, 12)
}

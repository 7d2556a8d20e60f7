import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { scaleLinear } from 'd3-scale'
import type { Point } from './network-layout.ts'
import type { Bar, SpaceTime } from './spacetime.ts'

/** Where a time and a lane are in the picture. Time runs to the right, or down where there is no room. */
export interface Frame {
  readonly width: number
  readonly height: number
  readonly isUpright: boolean
  /** Whether the times are written below another picture, and not here. */
  readonly isBare?: boolean
}

/** Room for the names of the lanes and of the times. */
export const GUTTER = 34
export const AXIS = 22

export function placeIn(
  frame: Frame,
  picture: Pick<SpaceTime, 'nodes' | 'from' | 'to'>,
): (time: number, node: number) => Point {
  const { width, height, isUpright } = frame
  const along = scaleLinear(
    [picture.from, picture.to],
    isUpright ? [AXIS + 4, height - 6] : [GUTTER, width - 8],
  )
  const lanes = lanesIn(frame)
  const across = (node: number) => (isUpright ? GUTTER : 4) + ((node + 0.5) * (lanes - 8)) / picture.nodes
  return (time, node) =>
    isUpright ? { x: across(node), y: along(time) } : { x: along(time), y: across(node) }
}

/** Round times to write at the axis. */
export function timesIn(
  { from, to }: Pick<SpaceTime, 'from' | 'to'>,
  most: number,
): { at: number; text: string }[] {
  return scaleLinear([from / TICKS_PER_UNIT, to / TICKS_PER_UNIT], [0, 1])
    .ticks(most)
    .map((time) => ({ at: time * TICKS_PER_UNIT, text: String(time) }))
}

/** How each kind of bar is drawn, the lowest first. `colour` is a colour of the scheme. */
export const BARS: readonly {
  readonly is: Bar['is']
  readonly width: number
  readonly colour: 'edge' | 'accent' | 'fails' | 'ink'
  readonly dashes: readonly number[]
}[] = [
  { is: 'waiting', width: 3, colour: 'edge', dashes: [] },
  { is: 'waiting-to-share', width: 3, colour: 'edge', dashes: [5, 2] },
  { is: 'inside', width: 9, colour: 'accent', dashes: [] },
  { is: 'sharing', width: 9, colour: 'accent', dashes: [5, 2] },
  { is: 'together', width: 13, colour: 'fails', dashes: [] },
  { is: 'down', width: 5, colour: 'ink', dashes: [2, 3] },
  { is: 'paused', width: 5, colour: 'ink', dashes: [6, 4] },
]

/** The room that each lane has. Where lanes are close a bar is no wider than its lane, and not every lane has its name. */
export function laneRoom(frame: Frame, nodes: number): number {
  return lanesIn(frame) / nodes
}

function lanesIn({ width, height, isUpright, isBare = false }: Frame): number {
  return isUpright ? width - GUTTER : height - (isBare ? 0 : AXIS)
}

/** So many lanes from one name to the next. */
export function namedEvery(room: number): number {
  return Math.max(1, Math.ceil(14 / room))
}

/** How many times the axis has room for. */
export function timesShown({ width, height, isUpright }: Frame): number {
  return Math.max(2, Math.floor(isUpright ? height / 60 : width / 90))
}

/** Letters on more arrows than this cover each other, and heads on more than that. */
export const MOST_LETTERS = 48
export const MOST_HEADS = 1200

/** The direction of a way that is long enough to show one. */
export function directionOf(start: Point, end: Point): { readonly dx: number; readonly dy: number } | null {
  const length = Math.hypot(end.x - start.x, end.y - start.y)
  if (length < 12) return null
  return { dx: (end.x - start.x) / length, dy: (end.y - start.y) / length }
}

/** The three corners of an arrow's head. */
export function headAt(end: Point, { dx, dy }: { dx: number; dy: number }): readonly [Point, Point, Point] {
  const [x, y] = [end.x - 3 * dx, end.y - 3 * dy]
  return [
    { x, y },
    { x: x - 7 * dx - 3 * dy, y: y - 7 * dy + 3 * dx },
    { x: x - 7 * dx + 3 * dy, y: y - 7 * dy - 3 * dx },
  ]
}

/** The middle of the cross of a message that is lost. */
export function crossAt(end: Point, { dx, dy }: { dx: number; dy: number }): Point {
  return { x: end.x - 8 * dx, y: end.y - 8 * dy }
}

/** Colours of a diagram, as CSS writes them, and the face of its texts. */
export interface DiagramColours {
  readonly ink: string
  readonly muted: string
  readonly line: string
  readonly edge: string
  readonly accent: string
  readonly fails: string
  /** One for each kind of message. */
  readonly hues: readonly string[]
  /** The face in which times and names are written. */
  readonly face: string
}

/** `colour` finds a colour of the style sheet by its name. */
export function diagramColours(colour: (name: string) => string, face: string): DiagramColours {
  return {
    ink: colour('ink'),
    muted: colour('muted'),
    line: colour('line'),
    edge: colour('edge'),
    accent: colour('accent'),
    fails: colour('fails'),
    hues: [1, 2, 3, 4, 5, 6].map((hue) => colour(`hue-${hue}`)),
    face,
  }
}

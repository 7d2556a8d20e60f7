import { timeText } from '@turnwise/core/trace/sentence'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { scaleLinear } from 'd3-scale'
import { at } from './geometry.ts'
import type { Point } from './layout.ts'
import { round, type Shape, shape } from './shape.ts'
import type { SpaceTime } from './spacetime.ts'

/** Where a time and a lane are in the picture. Time runs to the right, or down where there is no room. */
export interface Frame {
  readonly width: number
  readonly height: number
  readonly isUpright: boolean
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
  const lanes = isUpright ? width - GUTTER : height - AXIS
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

/** The diagram as shapes: for tests and for export; the page paints the same on a canvas. */
export function spaceTimeShapes(picture: SpaceTime, frame: Frame): Shape[] {
  const place = placeIn(frame, picture)
  const lanes = Array.from({ length: picture.nodes }, (_, node) => {
    const [start, end] = [place(picture.from, node), place(picture.to, node)]
    const name = frame.isUpright ? { x: start.x, y: AXIS - 8 } : { x: GUTTER - 12, y: start.y + 4 }
    return shape('g', `lane ${node}`, { className: 'lane' }, [
      shape('line', 'line', { x1: round(start.x), y1: round(start.y), x2: round(end.x), y2: round(end.y) }),
      shape('text', 'name', { x: round(name.x), y: round(name.y), textAnchor: 'middle' }, [String(node)]),
    ])
  })
  const bars = picture.bars.map(({ is, node, from, to }, i) => {
    const d = `M ${at(place(Math.max(from, picture.from), node))} L ${at(place(Math.min(to, picture.to), node))}`
    return shape('path', `bar ${i}`, { className: `bar ${is}`, d })
  })
  const arrows = picture.arrows.map(({ from, to, sentAt, endsAt, ends, mark, isCopy }, i) => {
    const [start, end] = [place(sentAt, from), place(endsAt, to)]
    const state = ends === 'lost' ? ' lost' : ends === null ? ' open' : ''
    return shape(
      'g',
      `arrow ${i}`,
      { className: `arrow hue-${mark?.hue ?? 1}${state}${isCopy ? ' copy' : ''}` },
      [
        shape('path', 'way', { d: `M ${at(start)} L ${at(end)}` }),
        shape('circle', 'end', { className: 'end', cx: round(end.x), cy: round(end.y), r: 2 }),
      ],
    )
  })
  const points = picture.points.map(({ node, at: time, is, happening }) => {
    const { x, y } = place(time, node)
    return shape('circle', `dot ${happening} ${node}`, {
      className: `dot ${is}`,
      cx: round(x),
      cy: round(y),
      r: is === 'step' ? 2 : 5,
    })
  })
  const axis = timesIn(picture, 8).map(({ at: time, text }) => {
    const { x, y } = place(time, picture.nodes - 0.5)
    const spot = frame.isUpright ? { x: 4, y: y + 4 } : { x, y: y + 16 }
    return shape(
      'text',
      `time ${timeText(time)}`,
      {
        className: 'time',
        x: round(spot.x),
        y: round(spot.y),
        textAnchor: frame.isUpright ? 'start' : 'middle',
      },
      [text],
    )
  })
  return [...lanes, ...bars, ...arrows, ...points, ...axis]
}

import { get } from '@turnwise/core/bounds'
import type { Setup } from '@turnwise/core/setup'
import { evenZones } from '@turnwise/core/zones'
import { at, hull, towards } from './geometry.ts'
import type { Layout, Point } from './network-layout.ts'
import { round, type Shape, shape } from './svg-shape.ts'

/** There are so many hues. More areas would look alike, and be too small for their names. */
const MOST_ZONES = 6

/** An area with a name for each zone of an algorithm that has zones. */
export function zoneShapes({ nodes, options }: Setup, layout: Layout): Shape[] {
  const wished = 'zones' in options ? Number(options.zones) : 1
  if (wished < 2 || wished > MOST_ZONES) return []
  const zones = evenZones(nodes, wished)
  return Array.from({ length: zones.count }, (_, zone) => {
    const first = zones.first(zone)
    const members = Array.from({ length: zones.size(zone) }, (__, i) => first + i)
    return areaOf(zone, members, layout)
  }).flat()
}

function areaOf(
  zone: number,
  members: readonly number[],
  { points, radius, width, height }: Layout,
): Shape[] {
  const own = members.map((member) => get(points, member))
  const corners = hull(own)
  // A line without length has round ends, so one node alone has a round area.
  const d = `M ${corners.map(at).join(' L ')}${corners.length === 1 ? ' h 0.01' : ''} Z`
  const name = towards(meanOf(own), { x: width / 2, y: height / 2 }, own.length === 1 ? radius + 18 : radius)
  const hue = `hue-${zone + 1}`
  return [
    shape('path', `zone ${zone}`, { className: `hull ${hue}`, d, strokeWidth: round(2 * radius + 16) }, [
      shape('title', 'what', {}, [
        `zone ${zone}: node${members.length === 1 ? '' : 's'} ${members.join(', ')}`,
      ]),
    ]),
    shape(
      'text',
      `zone name ${zone}`,
      {
        className: `hull-name ${hue}`,
        x: round(name.x),
        y: round(name.y),
        textAnchor: 'middle',
        dy: '0.35em',
      },
      [`zone ${zone}`],
    ),
  ]
}

function meanOf(points: readonly Point[]): Point {
  const mean = (of: (point: Point) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  return { x: mean(({ x }) => x), y: mean(({ y }) => y) }
}

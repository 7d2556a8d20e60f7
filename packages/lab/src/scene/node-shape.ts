import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { NodeStatus } from '@turnwise/core/trace/happening'
import { MODE_TEXT } from '@turnwise/core/trace/sentence'
import type { NodeMoment } from '../run/moment.ts'
import type { Tickets } from './beliefs.ts'
import { at } from './geometry.ts'
import type { Layout, Point } from './network-layout.ts'
import { round, type Shape, shape } from './svg-shape.ts'
import { lengthOf, TICKET, type TicketPlace, ticketPlaces } from './ticket-place.ts'

/** A smaller node has no room for its name. */
const LEAST_NAMED = 8

const STATUS_TEXT: Readonly<Record<NodeStatus, string>> = {
  idle: 'idle',
  waiting: 'waiting',
  inside: 'inside',
  crashed: 'crashed',
  paused: 'paused',
  absent: 'not there',
}

export function nodeText(moment: NodeMoment): string {
  const { node, tokens, isViolating } = moment
  const against = isViolating ? ' against the rule' : ''
  const has = tokens === 0 ? '' : tokens === 1 ? ', has the token' : `, has ${tokens} tokens`
  return `node ${node}, ${statusText(moment)}${against}${has}`
}

/** What it does, with which resources, and whether it shares. */
export function statusText({
  status,
  resources,
  mode,
}: Pick<NodeMoment, 'status' | 'resources' | 'mode'>): string {
  if (status !== 'inside' && status !== 'waiting') return STATUS_TEXT[status]
  const which = resources === null ? '' : ` ${status === 'inside' ? 'with' : 'for'} ${resources.join(', ')}`
  return STATUS_TEXT[status] + which + MODE_TEXT[mode]
}

/** A node. Its form shows what it does; colour only repeats it. */
export function nodeShape(moment: NodeMoment, { x, y }: Point, radius: number, isSelected: boolean): Shape {
  const { node, status, isActive, tokens, isViolating } = moment
  const word = modeWord(moment)
  const marks = { active: isActive, selected: isSelected, violating: isViolating, sharing: word !== null }
  const classes = ['node', status, ...Object.entries(marks).flatMap(([name, is]) => (is ? [name] : []))]
  const hasName = radius >= LEAST_NAMED
  return shape(
    'g',
    `node ${node}`,
    {
      className: classes.join(' '),
      transform: `translate(${at({ x, y })})`,
      'data-node': node,
      tabIndex: 0,
      role: 'button',
      'aria-haspopup': 'menu',
      'aria-label': nodeText(moment),
    },
    [
      ...(isActive ? [shape('circle', 'halo', { className: 'halo', r: round(radius + 9) })] : []),
      ...(status === 'inside' ? [shape('circle', 'ring', { className: 'ring', r: round(radius + 4) })] : []),
      shape('circle', 'body', { className: 'body', r: round(radius) }),
      ...statusMarks(status, radius),
      ...(hasName
        ? [shape('text', 'name', { className: 'name', dy: '0.35em', textAnchor: 'middle' }, [String(node)])]
        : []),
      ...tokenShapes(tokens, radius),
      ...wishShapes(moment, radius, word),
    ],
  )
}

function statusMarks(status: NodeStatus, radius: number): Shape[] {
  const r = round(radius)
  switch (status) {
    case 'waiting': {
      const outer = round(radius + 4)
      return [
        shape('path', 'arc', { className: 'arc', d: `M 0 ${-outer} A ${outer} ${outer} 0 0 1 ${outer} 0` }),
      ]
    }
    case 'crashed': {
      return [
        shape('path', 'hatch', { className: 'hatch', d: hatch(radius) }),
        shape('path', 'cross', { className: 'cross', d: cross(radius) }),
      ]
    }
    case 'paused': {
      const [gap, half] = [round(radius + 7), round(radius * 0.4)]
      return [
        shape('path', 'bars', {
          className: 'bars',
          d: `M ${gap} ${-half} L ${gap} ${half} M ${gap + 5} ${-half} L ${gap + 5} ${half}`,
        }),
      ]
    }
    case 'absent':
      return [shape('circle', 'gone', { className: 'gone', r: round(r * 0.5) })]
    default:
      return []
  }
}

/** Open in the middle where the name is. */
function cross(radius: number): string {
  const [outer, inner] = [round(radius * 0.72), radius >= LEAST_NAMED ? round(radius * 0.36) : 0]
  const corners = [
    [-1, -1],
    [1, 1],
    [-1, 1],
    [1, -1],
  ] as const
  return corners.map(([x, y]) => `M ${x * outer} ${y * outer} L ${x * inner} ${y * inner}`).join(' ')
}

/** Lines across the circle, as many as it has room for. */
function hatch(radius: number): string {
  const lines: string[] = []
  for (let offset = -radius + 3; offset < radius; offset += 6) {
    const half = Math.sqrt(Math.max(0, radius * radius - offset * offset))
    // Turned by half a right angle.
    const turned = (along: number): Point => ({
      x: (offset + along) * Math.SQRT1_2,
      y: (along - offset) * Math.SQRT1_2,
    })
    lines.push(`M ${at(turned(-half))} L ${at(turned(half))}`)
  }
  return lines.join(' ')
}

const MOST_DIAMONDS = 3

/** The token is one shape everywhere. */
export function diamond(key: string, { x, y }: Point, size: number): Shape {
  const d = `M ${at({ x, y: y - size })} L ${at({ x: x + size, y })} L ${at({ x, y: y + size })} L ${at({ x: x - size, y })} Z`
  return shape('path', key, { className: 'token', d })
}

function tokenShapes(tokens: number, radius: number): Shape[] {
  const count = Math.min(tokens, MOST_DIAMONDS)
  const place = radius * 0.78 + 3
  return Array.from({ length: count }, (_, i) => diamond(`token ${i}`, { x: place + 8 * i, y: place }, 6))
}

/** The mode of a node that asks or is inside, and does not exclude all others; null for all else. */
function modeWord({ status, mode }: NodeMoment): string | null {
  return mode === 'exclusive' || (status !== 'waiting' && status !== 'inside') ? null : mode
}

/** What the node asks for or has, and whether it shares, above it. */
function wishShapes({ status, resources }: NodeMoment, radius: number, word: string | null): Shape[] {
  const hasWish = status === 'waiting' || status === 'inside'
  const set = resources === null || !hasWish ? [] : [`{${resources.join(', ')}}`]
  const words = [...set, ...(word === null ? [] : [word])]
  if (words.length === 0 || radius < LEAST_NAMED) return []
  const attributes = { className: 'wish', y: round(-radius - 10), textAnchor: 'middle' }
  return [shape('text', 'wish', attributes, [words.join(' ')])]
}

/** Among more nodes than this there is no room for small names beside them. */
export const MOST_NAMED = 12

/** The nodes that wait at a node, as tickets beside it in their order. */
export function ticketShape(tickets: Tickets, node: NodeId, layout: Layout): Shape | null {
  const { radius, points, width } = layout
  if (tickets.nodes.length === 0 || radius < 12) return null
  const { x, y } = get(points, node)
  return shape('g', `tickets ${x} ${y}`, { className: 'tickets', transform: `translate(${at({ x, y })})` }, [
    shape('title', 'what', {}, [`${tickets.field}: ${tickets.nodes.join(', ')}`]),
    ...(points.length > MOST_NAMED
      ? [tallyShape(tickets.nodes.length, radius, width - x)]
      : numberedShapes(tickets.nodes, get(ticketPlaces(layout), node))),
  ])
}

/** From left to right. The last ones are a number if there is no room for them. */
function numberedShapes(nodes: readonly NodeId[], { left: start, top, most, isLeft }: TicketPlace): Shape[] {
  // The number takes more room than one ticket.
  const shown = nodes.length <= most + 1 ? nodes : nodes.slice(0, most)
  const more = nodes.length - shown.length
  const length = TICKET.pitch * shown.length + (more > 0 ? TICKET.more : 0)
  const left = isLeft ? start + lengthOf(most) - length : start
  return [
    ...shown.flatMap((node, i) => [
      shape('rect', `box ${i}`, {
        x: round(left + TICKET.pitch * i),
        y: round(top),
        width: TICKET.width,
        height: TICKET.height,
        rx: 2,
      }),
      shape(
        'text',
        `no ${i}`,
        { x: round(left + 6.5 + TICKET.pitch * i), y: round(top + 11), textAnchor: 'middle' },
        [String(node)],
      ),
    ]),
    ...(more > 0
      ? [
          shape('text', 'more', { x: round(left + 4 + TICKET.pitch * shown.length), y: round(top + 11) }, [
            `+${more}`,
          ]),
        ]
      : []),
  ]
}

const MOST_STROKES = 25

/** In a crowd a stroke for each who waits, away from the edge of the picture. */
function tallyShape(count: number, radius: number, room: number): Shape {
  const pitch = 4
  const shown = Math.min(count, MOST_STROKES)
  const side = radius + pitch * shown > room - 4 ? -1 : 1
  const strokes = Array.from(
    { length: shown },
    (_, i) => `M ${at({ x: side * (0.8 * radius + pitch * i), y: -radius - 9 })} v 8`,
  )
  return shape('path', 'tally', { className: 'tally', d: strokes.join(' ') })
}

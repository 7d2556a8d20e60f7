import type { NodeId } from '@turnwise/core/algorithm'
import type { Structure } from '@turnwise/core/structure/structure'
import { bodyText, ink, lineHeight, tickText, titleText } from './style.ts'
import { drawing, element, rounded, textElement } from './svg.ts'
import { textWidth } from './text.ts'

/**
 * An information structure as Sanders 1987 draws it in Figure 1: the nodes on a circle, a solid arc to whom a node
 * asks and tells, a dashed one to whom it only asks. Whom it only tells, which the theorem forbids, is dotted.
 */
export function drawStructure(structure: Structure, title: string): string {
  const arcs = arcsOf(structure)
  const { width, height, places } = layoutStructure(structure.nodes, title)
  return drawing({ width, height, title, about: describe(arcs) }, [
    textElement('text', title, {
      x: MARGIN,
      y: MARGIN + titleText.size,
      'font-size': titleText.size,
      'font-weight': 'bold',
    }),
    ...arcs.map((arc) => drawArc(arc, places)),
    ...places.map((place, node) => drawNode(place, node)),
    ...legend(arcs, height),
  ])
}

type Kind = 'inform and request' | 'request only' | 'inform only'

const DASHES: Record<Kind, string | null> = {
  'inform and request': null,
  'request only': '7 5',
  'inform only': '1 4',
}
const KINDS = Object.keys(DASHES) as Kind[]

interface Arc {
  readonly from: NodeId
  readonly to: NodeId
  readonly kind: Kind
}

export interface Place {
  readonly x: number
  readonly y: number
  /** Away from the middle. */
  readonly angle: number
}

const MARGIN = 24
export const NODE_RADIUS = 15
const ARROW = 9
const LOOP = 36
/**
 * How far an arc leaves the straight line, to the left of its way, as a share of its length: there and back are two
 * arcs. Where the first would pass behind a node the others are tried; to the right they keep off the way back.
 */
const BENDS = [0.12, -0.3, -0.45, -0.6, 0.3, 0.45]
/** So far from the middle of a node that is neither end an arc is seen to pass it by. */
const CLEARANCE = NODE_RADIUS + 4

function arcsOf({ nodes, inform, request }: Structure): Arc[] {
  const arcs: Arc[] = []
  for (let from = 0; from < nodes; from += 1) {
    for (let to = 0; to < nodes; to += 1) {
      const tells = inform[from].includes(to)
      const asks = request[from].includes(to)
      if (!tells && !asks) continue
      arcs.push({ from, to, kind: tells ? (asks ? 'inform and request' : 'inform only') : 'request only' })
    }
  }
  return arcs
}

/** Where everything goes, for those who lay something over the drawing. */
export function layoutStructure(
  nodes: number,
  title: string,
): { width: number; height: number; places: Place[] } {
  const radius = Math.max(70, nodes * 13)
  const reach = radius + NODE_RADIUS + LOOP + MARGIN
  const width = Math.ceil(Math.max(2 * reach, textWidth(title, titleText) + 2 * MARGIN))
  const top = MARGIN + lineHeight
  const places = Array.from({ length: nodes }, (_, node) => {
    const angle = (2 * Math.PI * node) / nodes - Math.PI / 2
    return { angle, x: width / 2 + radius * Math.cos(angle), y: top + reach + radius * Math.sin(angle) }
  })
  return { width, height: Math.ceil(top + 2 * reach + KINDS.length * lineHeight), places }
}

function drawNode({ x, y }: Place, node: NodeId): string {
  return element('g', { class: 'node' }, [
    element('circle', {
      cx: x,
      cy: y,
      r: NODE_RADIUS,
      fill: '#ffffff',
      stroke: ink.text,
      'stroke-width': 1.5,
    }),
    textElement('text', String(node), {
      x,
      y: y + tickText.size * 0.36,
      'text-anchor': 'middle',
      'font-size': tickText.size,
    }),
  ])
}

function drawArc({ from, to, kind }: Arc, places: readonly Place[]): string {
  const { path, tip, angle } = from === to ? loop(places[from]) : bow(from, to, places)
  const dash = DASHES[kind]
  return element('g', { class: kind.replaceAll(' ', '-') }, [
    element('path', {
      d: path,
      fill: 'none',
      stroke: ink.text,
      'stroke-width': 1.3,
      ...(dash === null ? {} : { 'stroke-dasharray': dash }),
    }),
    element('path', { d: arrowHead(tip, angle) }),
  ])
}

interface Point {
  readonly x: number
  readonly y: number
}

interface Drawn {
  readonly path: string
  readonly tip: Point
  /** The direction in which the arrow points. */
  readonly angle: number
}

/** From the rim of one node to the rim of another, bent so that it passes behind no third. */
function bow(fromNode: NodeId, toNode: NodeId, places: readonly Place[]): Drawn {
  const [from, to] = [places[fromNode], places[toNode]]
  const others = places.filter((_, node) => node !== fromNode && node !== toNode)
  const ways = BENDS.map((bend) => {
    const middle = bentMiddle(from, to, bend)
    return { middle, clear: Math.min(...others.map((other) => distanceTo(other, from, middle, to))) }
  })
  const { middle } =
    ways.find(({ clear }) => clear >= CLEARANCE) ?? ways.reduce((a, b) => (b.clear > a.clear ? b : a))
  const start = towards(from, middle, NODE_RADIUS)
  const tip = towards(to, middle, NODE_RADIUS)
  const end = towards(to, middle, NODE_RADIUS + ARROW / 2)
  return {
    path: `M${at(start)}Q${at(middle)} ${at(end)}`,
    tip,
    angle: Math.atan2(to.y - middle.y, to.x - middle.x),
  }
}

function bentMiddle(from: Point, to: Point, bend: number): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  return { x: (from.x + to.x) / 2 + dy * bend, y: (from.y + to.y) / 2 - dx * bend }
}

/** How near a place the arc comes, at a few points of it. */
function distanceTo(place: Point, from: Point, middle: Point, to: Point): number {
  const steps = 24
  const distances = Array.from({ length: steps - 1 }, (_, step) => {
    const t = (step + 1) / steps
    const on = (a: number, b: number, c: number) => (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t ** 2 * c
    return Math.hypot(on(from.x, middle.x, to.x) - place.x, on(from.y, middle.y, to.y) - place.y)
  })
  return Math.min(...distances)
}

/** Out of a node and back into it, on the side away from the middle. */
function loop({ x, y, angle }: Place): Drawn {
  const on = (turn: number, distance: number): Point => ({
    x: x + distance * Math.cos(angle + turn),
    y: y + distance * Math.sin(angle + turn),
  })
  const far = NODE_RADIUS + LOOP
  const back = on(0.75, far)
  const tip = on(0.45, NODE_RADIUS)
  return {
    path: `M${at(on(-0.45, NODE_RADIUS))}C${at(on(-0.75, far))} ${at(back)} ${at(towards(tip, back, ARROW / 2))}`,
    tip,
    angle: Math.atan2(tip.y - back.y, tip.x - back.x),
  }
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  return {
    x: from.x + ((to.x - from.x) * distance) / length,
    y: from.y + ((to.y - from.y) * distance) / length,
  }
}

function arrowHead({ x, y }: Point, angle: number): string {
  const corner = (turn: number): Point => ({
    x: x - ARROW * Math.cos(angle + turn),
    y: y - ARROW * Math.sin(angle + turn),
  })
  return `M${at({ x, y })}L${at(corner(0.4))}L${at(corner(-0.4))}Z`
}

function at({ x, y }: Point): string {
  return `${rounded(x)} ${rounded(y)}`
}

function legend(arcs: readonly Arc[], height: number): string[] {
  const shown = KINDS.filter((kind) => arcs.some((arc) => arc.kind === kind))
  return shown.flatMap((kind, line) => {
    const y = height - MARGIN - (shown.length - 1 - line) * lineHeight
    const dash = DASHES[kind]
    return [
      element('path', {
        d: `M${MARGIN} ${rounded(y - 4)}h40`,
        stroke: ink.text,
        'stroke-width': 1.3,
        ...(dash === null ? {} : { 'stroke-dasharray': dash }),
      }),
      textElement('text', kind, { x: MARGIN + 50, y, 'font-size': bodyText.size }),
    ]
  })
}

/** What somebody who cannot see the drawing should know of it. */
function describe(arcs: readonly Arc[]): string {
  return KINDS.map((kind) => {
    const pairs = arcs.filter((arc) => arc.kind === kind).map(({ from, to }) => `${from} to ${to}`)
    return pairs.length === 0 ? '' : `${kind}: ${pairs.join(', ')}.`
  })
    .filter((line) => line !== '')
    .join(' ')
}

import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Structure } from '@turnwise/core/structure/structure'
import { bodyText, ink, lineHeight, tickText, titleText } from './style.ts'
import { drawing, element, moveTo, rounded, textElement } from './svg.ts'
import { textWidth } from './text.ts'

/**
 * An information structure as Sanders 1987 draws it in Figure 1, as a document that stands alone: the nodes on a circle,
 * a solid arc to a node that is asked and told, a dashed one to a node that is only asked, a dotted one to a node that
 * is only told, which the theorem forbids.
 */
export function drawStructure(structure: Structure, title: string): string {
  const kinds = kindsOf(structure)
  const picture = layoutStructure(structure.nodes)
  const top = MARGIN + lineHeight
  const width = Math.ceil(
    Math.max(
      picture.width,
      ...[textWidth(title, titleText), legendWidth(kinds)].map((text) => text + 2 * MARGIN),
    ),
  )
  const height = Math.ceil(top + picture.height + kinds.length * lineHeight + (kinds.length > 0 ? MARGIN : 0))
  return drawing({ width, height, title, about: describeStructure(structure) }, [
    textElement('text', title, {
      x: MARGIN,
      y: MARGIN + titleText.size,
      'font-size': titleText.size,
      'font-weight': 'bold',
    }),
    element('g', { transform: moveTo((width - picture.width) / 2, top) }, drawNodesAndArcs(structure)),
    ...kinds.flatMap((kind, line) => drawLegendLine(kind, top + picture.height + (line + 0.7) * lineHeight)),
  ])
}

/** Nothing but the nodes and their arcs, for a page that says the rest in its own words. */
export function drawBareStructure(structure: Structure): string {
  const { width, height } = layoutStructure(structure.nodes)
  return element('svg', { viewBox: `0 0 ${width} ${height}`, class: 'bare' }, drawNodesAndArcs(structure))
}

function drawNodesAndArcs(structure: Structure): string[] {
  const { places } = layoutStructure(structure.nodes)
  return [
    ...arcsOf(structure).map((arc) => drawArc(arc, places)),
    ...places.map((place, node) => drawNode(place, node)),
  ]
}

export type Kind = 'inform and request' | 'request only' | 'inform only'

export const DASHES: Readonly<Record<Kind, string | null>> = {
  'inform and request': null,
  'request only': '7 5',
  'inform only': '1 4',
}
const KINDS = Object.keys(DASHES) as Kind[]

/** The kinds of arcs that a structure has. */
export function kindsOf(structure: Structure): Kind[] {
  const arcs = arcsOf(structure)
  return KINDS.filter((kind) => arcs.some((arc) => arc.kind === kind))
}

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
/** How far from the middle of its node the ends of a loop are pulled. The loop itself stays within the reach. */
const LOOP_PULL = NODE_RADIUS + 36
/** The room that a node at the rim needs outwards: for its loop, or for arcs that pass its neighbours. */
const REACH = 44
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
      const tells = get(inform, from).includes(to)
      const asks = get(request, from).includes(to)
      if (!tells && !asks) continue
      arcs.push({ from, to, kind: tells ? (asks ? 'inform and request' : 'inform only') : 'request only' })
    }
  }
  return arcs
}

/** The places of the nodes, for overlays on the drawing. */
export function layoutStructure(nodes: number): { width: number; height: number; places: Place[] } {
  const radius = nodes === 1 ? 0 : Math.max(70, nodes * 13)
  const around = Array.from({ length: nodes }, (_, node) => {
    const angle = (2 * Math.PI * node) / nodes - Math.PI / 2
    return { angle, x: radius * Math.cos(angle), y: radius * Math.sin(angle) }
  })
  // A triangle reaches less far down than its circle.
  const [xs, ys] = [around.map(({ x }) => x), around.map(({ y }) => y)]
  const [left, top] = [Math.min(...xs) - REACH, Math.min(...ys) - REACH]
  return {
    width: Math.ceil(Math.max(...xs) + REACH - left),
    height: Math.ceil(Math.max(...ys) + REACH - top),
    places: around.map(({ angle, x, y }) => ({ angle, x: x - left, y: y - top })),
  }
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
  const { path, tip, angle } = from === to ? loop(get(places, from)) : bow(from, to, places)
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
  const [from, to] = [get(places, fromNode), get(places, toNode)]
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
  const back = on(0.75, LOOP_PULL)
  const tip = on(0.45, NODE_RADIUS)
  return {
    path: `M${at(on(-0.45, NODE_RADIUS))}C${at(on(-0.75, LOOP_PULL))} ${at(back)} ${at(towards(tip, back, ARROW / 2))}`,
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

const SAMPLE = 40
const SAMPLE_GAP = 10

const legendWidth = (kinds: readonly Kind[]): number =>
  SAMPLE + SAMPLE_GAP + Math.max(0, ...kinds.map((kind) => textWidth(kind, bodyText)))

function drawLegendLine(kind: Kind, baseline: number): string[] {
  const dash = DASHES[kind]
  return [
    element('path', {
      d: `M${MARGIN} ${rounded(baseline - 4)}h${SAMPLE}`,
      stroke: ink.text,
      'stroke-width': 1.3,
      ...(dash === null ? {} : { 'stroke-dasharray': dash }),
    }),
    textElement('text', kind, { x: MARGIN + SAMPLE + SAMPLE_GAP, y: baseline, 'font-size': bodyText.size }),
  ]
}

/** The description for readers who cannot see the drawing. */
function describeStructure(structure: Structure): string {
  const arcs = arcsOf(structure)
  return KINDS.map((kind) => {
    const pairs = arcs.filter((arc) => arc.kind === kind).map(({ from, to }) => `${from} to ${to}`)
    return pairs.length === 0 ? '' : `${kind}: ${pairs.join(', ')}.`
  })
    .filter((line) => line !== '')
    .join(' ')
}

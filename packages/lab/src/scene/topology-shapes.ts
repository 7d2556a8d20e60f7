import type { AnyProtocol, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Setup } from '@turnwise/core/setup'
import { letterLabel } from '../run/event-sentences.ts'
import type { Moment, NodeMoment } from '../run/moment.ts'
import type { Letter } from '../run/recording.ts'
import { type Pointer, pointersOf, ticketsOf } from './beliefs.ts'
import { aside, at, between, distanceTo, hull, towards } from './geometry.ts'
import type { Mark } from './message-marks.ts'
import type { Layout, Point } from './network-layout.ts'
import { diamond, MOST_NAMED, nodeShape, ticketShape } from './node-shape.ts'
import { round, type Shape, shape } from './svg-shape.ts'
import { zoneShapes } from './zone-shapes.ts'

/** Everything that the picture of a moment needs. */
export interface Stage {
  readonly protocol: AnyProtocol
  readonly setup: Setup
  readonly layout: Layout
  readonly marks: ReadonlyMap<string, Mark>
  readonly moment: Moment
  /** When it is, in ticks: at the moment's last happening or between it and the next. */
  readonly now: number
  readonly selected: NodeId | null
}

/** The topology as the algorithm sees it, with what is under way; from back to front. */
export function topologyShapes(stage: Stage): Shape[] {
  return [...stillShapes(stage), movingShape(stage)]
}

/** The shapes that do not move between two happenings. */
export function stillShapes(stage: Omit<Stage, 'now'>): Shape[] {
  const { protocol, layout, moment, selected } = stage
  const beliefs = moment.nodes.filter(({ state, status }) => state !== null && status !== 'absent')
  const pointers = beliefs.flatMap(({ node, state }) => pointersOf(protocol, node, state as object))
  const areas = [...zoneShapes(stage.setup, layout), ...hullShapes(stage)]
  const areaNames = areas.filter(({ tag }) => tag === 'text')
  return [
    shape(
      'g',
      'hulls',
      { className: 'hulls' },
      areas.filter(({ tag }) => tag !== 'text'),
    ),
    shape('g', 'links', { className: 'links' }, linkShapes(stage)),
    // No channel crosses the name of an area.
    ...(areaNames.length === 0 ? [] : [shape('g', 'area names', {}, areaNames)]),
    shape('g', 'pointers', { className: 'pointers' }, pointerShapes(pointers, layout)),
    shape(
      'g',
      'nodes',
      { className: 'nodes' },
      moment.nodes.map((node) =>
        nodeShape(node, get(layout.points, node.node), layout.radius, selected === node.node),
      ),
    ),
    shape(
      'g',
      'queues',
      { className: 'queues' },
      beliefs.flatMap(({ node, state }) => {
        const tickets = ticketsOf(protocol, state as object)
        const drawn = tickets === null ? null : ticketShape(tickets, node, layout)
        return drawn === null ? [] : [drawn]
      }),
    ),
  ]
}

/** What moves on with the time: the letters. */
export function movingShape(stage: Stage): Shape {
  return shape('g', 'letters', { className: 'letters' }, letterShapes(stage))
}

/** Hulls of more would only cover each other; among many nodes two already do. */
const MOST_HULLS = 3
const FEW_NODES = 9

/** The quorums of nodes that wait or are inside. */
function hullShapes({ setup, layout, moment, selected }: Omit<Stage, 'now'>): Shape[] {
  const sets = setup.quorums === null ? setup.structure?.request : null
  if (setup.quorums === null && sets === undefined) return []
  const rank = ({ node, status, isActive }: NodeMoment) =>
    node === selected ? 0 : status === 'inside' ? 1 : isActive ? 2 : 3
  const asking = moment.nodes
    .filter(({ status, node }) => status === 'waiting' || status === 'inside' || node === selected)
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ node }) => node)
  const most = setup.nodes > FEW_NODES ? 1 : MOST_HULLS
  const shown = asking.length > 0 ? asking : moment.nodes.slice(0, 1).map(({ node }) => node)
  return shown.slice(0, most).flatMap((node, index) => {
    const members = setup.quorums?.of(node) ?? sets?.[node] ?? []
    const corners = hull([...new Set([node, ...members])].map((member) => get(layout.points, member)))
    if (corners.length < 2) return []
    const d = `M ${corners.map(at).join(' L ')} Z`
    const name = quorumName(node, members, layout)
    return [
      // By its place: the next node that asks takes over what is drawn.
      shape(
        'path',
        `hull ${index}`,
        { className: `hull hue-${index + 1}`, d, strokeWidth: round(2 * layout.radius + 16) },
        [shape('title', 'what', {}, [`node ${node} asks ${members.join(', ')}`])],
      ),
      shape('text', `hull name ${index}`, { className: `hull-name hue-${index + 1}`, ...name }, [
        `asked by ${node}`,
      ]),
    ]
  })
}

/** In its area, nearer to the node than to those it asks: areas overlap where nodes are asked by several. */
function quorumName(node: NodeId, members: readonly NodeId[], { points, radius }: Layout) {
  const others = members.filter((member) => member !== node).map((member) => get(points, member))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const own = get(points, node)
  const middle =
    others.length === 0 ? own : { x: mean(others.map(({ x }) => x)), y: mean(others.map(({ y }) => y)) }
  const place = towards(own, middle, 2 * radius + 24)
  return { x: round(place.x), y: round(place.y), textAnchor: 'middle', dy: '0.35em' }
}

/** Beyond this a complete graph is a grey disc: then only channels that something is on are drawn. */
const MOST_LINKS = 80

type Ends = readonly [NodeId, NodeId]

function linkShapes({ setup, layout, moment }: Omit<Stage, 'now'>): Shape[] {
  const { topology, nodes } = setup
  const pairs = new Map<string, Ends>()
  const add = (a: NodeId, b: NodeId) => pairs.set(a < b ? `${a}-${b}` : `${b}-${a}`, a < b ? [a, b] : [b, a])
  let ends = 0
  for (let node = 0; node < nodes && ends <= 2 * MOST_LINKS; node += 1)
    ends += topology.neighbours(node).length
  const hasAll = ends <= 2 * MOST_LINKS || nodes <= 2
  if (hasAll)
    for (let node = 0; node < nodes; node += 1)
      for (const other of topology.neighbours(node)) add(node, other)
  else if (topology.kind !== 'complete')
    for (let node = 0; node < nodes; node += 1)
      for (const other of topology.neighbours(node))
        if (topology.neighbours(node).length <= 8) add(node, other)
  const used = new Map<string, Ends>()
  if (moment.underWay.length <= MOST_LINKS)
    for (const { from, to } of moment.underWay) {
      const [a, b] = from < to ? [from, to] : [to, from]
      if (!pairs.has(`${a}-${b}`)) used.set(`${a}-${b}`, [a, b])
    }
  for (const { from, to } of moment.cuts) add(from, to)
  for (const name of pairs.keys()) used.delete(name)
  const shapes = [...pairs].map(([name, ends], index) => {
    const [a, b] = ends
    const cuts = moment.cuts.filter(({ from, to }) => (from === a && to === b) || (from === b && to === a))
    // Tab comes to one of them, and a key goes from one to the next: there can be dozens.
    return linkShape({ name, ends, cuts, tabIndex: index === 0 ? 0 : -1 }, layout)
  })
  return used.size === 0 ? shapes : [usedShape([...used.values()], layout), ...shapes]
}

/** Channels that are drawn because something is on them come and go with every event: they are one shape. */
function usedShape(links: readonly Ends[], layout: Layout): Shape {
  const d = links.map((ends) => wayOf(ends, layout)).map(([from, to]) => `M ${at(from)} L ${at(to)}`)
  return shape(
    'g',
    'used',
    { className: 'link', 'data-links': links.map((ends) => ends.join('-')).join(' ') },
    [
      shape('path', 'line', { className: 'line', d: d.join(' ') }),
      shape('path', 'target', { className: 'target', d: d.join(' ') }),
    ],
  )
}

/** From rim to rim. */
function wayOf([a, b]: Ends, { points, radius }: Layout): readonly [Point, Point] {
  return [towards(get(points, a), get(points, b), radius), towards(get(points, b), get(points, a), radius)]
}

/** Of the channels that one shape shows, the one that is nearest to a place. */
export function linkNear(names: string, layout: Layout, place: Point): Ends | null {
  let best: Ends | null = null
  let least = Number.POSITIVE_INFINITY
  for (const name of names.split(' ')) {
    const [a = 0, b = 0] = name.split('-').map(Number)
    const distance = distanceTo(wayOf([a, b], layout), place)
    if (distance >= least) continue
    least = distance
    best = [a, b]
  }
  return best
}

interface Link {
  readonly name: string
  readonly ends: Ends
  readonly cuts: readonly { readonly from: NodeId; readonly to: NodeId }[]
  readonly tabIndex: 0 | -1
}

function linkShape({ name, ends: [a, b], cuts, tabIndex }: Link, layout: Layout): Shape {
  const [from, to] = wayOf([a, b], layout)
  const ends = { x1: round(from.x), y1: round(from.y), x2: round(to.x), y2: round(to.y) }
  const isCut = cuts.length === 2
  const state = isCut ? ', cut' : cuts.map((cut) => `, cut from ${cut.from} to ${cut.to}`).join('')
  const attributes = {
    className: isCut ? 'link cut' : 'link',
    'data-link': name,
    tabIndex,
    role: 'button',
    'aria-haspopup': 'menu',
    'aria-label': `channel ${a} to ${b}${state}`,
  }
  return shape('g', `link ${name}`, attributes, [
    shape('line', 'line', { className: 'line', ...ends }),
    // A line is thinner than a finger.
    shape('line', 'target', { className: 'target', ...ends }),
    ...cuts.map((cut) => {
      const place = between(get(layout.points, cut.from), get(layout.points, cut.to), 0.35)
      const d = `M ${at({ x: place.x - 5, y: place.y - 5 })} l 10 10 M ${at({ x: place.x - 5, y: place.y + 5 })} l 10 -10`
      return shape('path', `cut ${cut.from}`, { className: 'scissors', d }, [
        shape('title', 'what', {}, [`cut from ${cut.from} to ${cut.to}`]),
      ])
    }),
  ])
}

/** Pointers bend, so that they are not taken for channels, and two that cross are told apart. */
function pointerShapes(pointers: readonly Pointer[], { points, radius, width, height }: Layout): Shape[] {
  if (points.length > 60) return []
  return pointers.map(({ field, order, from, to }) => {
    const start = get(points, from)
    const end = get(points, to)
    const bend = 0.16 + 0.06 * (order % 3)
    const middle = between(start, end, 0.5)
    // A bend never leaves the picture.
    const control = {
      x: Math.min(width - 12, Math.max(12, middle.x + (end.y - start.y) * bend)),
      y: Math.min(height - 12, Math.max(12, middle.y - (end.x - start.x) * bend)),
    }
    const first = towards(start, control, radius + 2)
    const last = towards(end, control, radius + 4)
    // Names of pointers between the same two nodes stand at different places of their ways.
    const share = 0.35 + 0.15 * (order % 3)
    const label = between(between(first, control, share), between(control, last, share), share)
    const wing = (side: number) => {
      const back = towards(last, control, 7)
      const away = aside(last, control, side)
      return { x: back.x + (away.from.x - last.x), y: back.y + (away.from.y - last.y) }
    }
    return shape('g', `pointer ${field} ${from}`, { className: `pointer order-${order % 3}` }, [
      shape('path', 'way', { d: `M ${at(first)} Q ${at(control)} ${at(last)}` }),
      shape('path', 'head', { className: 'head', d: `M ${at(wing(3))} L ${at(last)} L ${at(wing(-3))}` }),
      ...(points.length <= MOST_NAMED
        ? [shape('text', 'name', { x: round(label.x), y: round(label.y), textAnchor: 'middle' }, [field])]
        : []),
    ])
  })
}

/** More letters than this are dots without a sign: a picture that is drawn with every frame must stay small. */
const MOST_SIGNS = 80

function letterShapes(stage: Stage): Shape[] {
  const { underWay } = stage.moment
  return underWay.length > MOST_SIGNS
    ? dotShapes(stage)
    : underWay.map((letter) => letterShape(letter, stage))
}

/** All dots of a kind are one path: each is a line without length, with round ends. */
function dotShapes({ protocol, layout, marks, moment, now }: Stage): Shape[] {
  const kinds = new Map<string, string[]>()
  for (const letter of moment.underWay) {
    const isToken = (protocol.tokens?.carried(letter.message) ?? 0) > 0
    const hue = marks.get(letter.message.type)?.hue ?? 1
    const kind = `letter dots hue-${hue}${isToken ? ' tokens' : ''}`
    const place = `M ${at(placeOf(letter, layout, now))} h 0`
    const known = kinds.get(kind)
    if (known === undefined) kinds.set(kind, [place])
    else known.push(place)
  }
  return [...kinds].map(([kind, places]) =>
    shape('path', kind, { className: kind, d: places.join(' '), 'data-letters': places.length }),
  )
}

/** The letter that is nearest to a place, if one is near: many are drawn as one shape. */
export function letterNear(
  { moment, layout, now }: Pick<Stage, 'moment' | 'layout' | 'now'>,
  place: Point,
): Letter | null {
  let best: Letter | null = null
  let least = 12
  for (const letter of moment.underWay) {
    const { x, y } = placeOf(letter, layout, now)
    const distance = Math.hypot(x - place.x, y - place.y)
    if (distance >= least) continue
    least = distance
    best = letter
  }
  return best
}

function placeOf(letter: Letter, { points, radius }: Layout, now: number): Point {
  const { from, to } = letter
  const way = aside(
    towards(get(points, from), get(points, to), radius),
    towards(get(points, to), get(points, from), radius),
    6,
  )
  return between(way.from, way.to, shareOf(letter, now))
}

/** How far a letter is on its way. One whose end the run does not show stays half way. */
export function shareOf({ sentAt, endsAt }: Letter, now: number): number {
  if (endsAt === null) return 0.5
  return endsAt <= sentAt ? 1 : Math.min(1, Math.max(0, (now - sentAt) / (endsAt - sentAt)))
}

function letterShape(letter: Letter, { protocol, layout, marks, now }: Stage): Shape {
  const { from, to, message, id, isCopy } = letter
  const mark = marks.get(message.type)
  const isToken = (protocol.tokens?.carried(message) ?? 0) > 0
  const text = `${letterLabel(message)} from ${from} to ${to}`
  return shape(
    'g',
    `letter ${id} ${to} ${isCopy ? letter.since : ''}`,
    {
      className: `letter hue-${mark?.hue ?? 1}${isCopy ? ' copy' : ''}`,
      transform: `translate(${at(placeOf(letter, layout, now))})`,
      'data-letter': `${id}>${to}`,
      tabIndex: 0,
      role: 'button',
      'aria-haspopup': 'menu',
      // What is seen is part of what is heard.
      'aria-label': `${mark?.letter ?? ''} ${text}`.trim(),
    },
    [
      shape('title', 'what', {}, [text]),
      isToken ? diamond('token', { x: 0, y: 0 }, 11) : shape('circle', 'dot', { className: 'dot', r: 9 }),
      shape('text', 'sign', { className: 'sign', dy: '0.35em', textAnchor: 'middle' }, [mark?.letter ?? '?']),
    ],
  )
}

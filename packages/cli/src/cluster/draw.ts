/** The live table of `turnwise up`, as the lines of a screen: a function of what is known, and of nothing else. */

import type { Terminal } from '../terminal/terminal.ts'
import type { Happening } from './picture.ts'
import { type Cell, type Column, clipped, grid, type Ink, wrapped } from './screen-grid.ts'
import type { NameRow, NodeRow, NodeState, PlaceRow, Snapshot } from './snapshot.ts'
import { happeningText, wait } from './up-report.ts'

export interface Frame extends Snapshot {
  readonly algorithm: string
  readonly leaseMs: number
  /** The latency that was asked for; null if bytes take no time of ours. */
  readonly latency: string | null
  /** Milliseconds since the first view, and how long it goes on; null if until somebody ends it. */
  readonly elapsed: number
  readonly for: number | null
  /** The row that keys act on. */
  readonly selected: number
  /** The latest last. */
  readonly happenings: readonly Happening[]
  /** Where it can be looked at in a browser, in words; empty if nowhere. */
  readonly page: string
  /** Why the last key did nothing. */
  readonly note: string | null
}

export interface Paper {
  readonly columns: number
  readonly rows: number
  readonly paint: Terminal['paint']
}

/** Lines longer than this are hard to follow. */
const WIDEST = 120
/** So that the table does not grow and shrink while the first things happen. */
const MOST_HAPPENINGS = 8

export function draw(frame: Frame, paper: Paper): string[] {
  const { paint, rows } = paper
  const width = Math.min(paper.columns, WIDEST) - 1
  const inked = inks(paint)
  const top = [
    ...head(frame, width, paint),
    '',
    ...grid(nameColumns(frame, paint, inked), frame.names, width, paint.dim),
    '',
    ...grid(nodeColumns(frame, paint, inked), nodeRows(frame), width, paint.dim),
    '',
  ]
  const keys = wrapped(keysFor(frame), width).map((line) => paint.dim(line))
  const note = frame.note === null ? [''] : [paint.yellow(clipped(frame.note, width))]
  const page = frame.page === '' ? [] : [paint.dim(clipped(frame.page, width))]
  const bottom = [...note, ...page, ...keys]
  const room = Math.max(0, Math.min(MOST_HAPPENINGS, rows - top.length - bottom.length))
  const recent = room === 0 ? [] : frame.happenings.slice(-room)
  const told = recent.map(({ text, ...rest }) =>
    happeningText({ ...rest, text: clipped(text, width - HAPPENING_INDENT) }, paper),
  )
  const blank = Array.from({ length: room - told.length }, () => '')
  // The keys stay in sight, whatever else does not.
  return [...[...top, ...told, ...blank].slice(0, Math.max(0, rows - bottom.length)), ...bottom].slice(-rows)
}

const HAPPENING_INDENT = 10

function head(frame: Frame, width: number, paint: Terminal['paint']): string[] {
  const { view, nodes, algorithm, leaseMs, elapsed } = frame
  const time = frame.for === null ? clock(elapsed) : `${clock(elapsed)} of ${clock(frame.for)}`
  const title = 'turnwise up'
  const about = clipped(`${algorithm}, lease ${leaseMs / 1000} s`, width - title.length - time.length - 4)
  const gap = ' '.repeat(Math.max(1, width - title.length - 2 - about.length - time.length))
  const members =
    view === null
      ? paint.dim(`starting ${nodes.length} processes`)
      : nodes.map(({ id }) => (view.members.includes(id) ? paint.green(id) : paint.dim('·'))).join(' ')
  const label = `view ${view?.epoch ?? '–'}`.padEnd(title.length)
  const room = width - label.length - 2 - 2 * nodes.length - 1
  const standing = clipped(standstill(frame) ?? '', Math.max(0, room))
  return [
    `${paint.bold(title)}  ${paint.dim(about)}${gap}${time}`,
    `${label}  ${members}${standing && `  ${paint.yellow(standing)}`}`,
    ...(frame.place === null ? [] : [placeLine(frame.place, width, paint)]),
    ...(frame.latency === null ? [] : [paint.dim(clipped(latencyLine(frame.latency, frame.zones), width))]),
  ]
}

function latencyLine(latency: string, zones: Frame['zones']): string {
  const of = zones.map(({ zone, nodes, p50 }) => `  zone ${zone}: ${nodes.join(' ')}, p50 wait ${wait(p50)}`)
  return `latency    ${latency}${of.join('')}`
}

function placeLine({ name, silentFor, engine }: PlaceRow, width: number, paint: Terminal['paint']): string {
  const state = engine === 'dead' ? ', killed' : engine === 'paused' ? ', paused' : ''
  const silent = silentFor === null ? '' : `, no answer for ${(silentFor / 1000).toFixed(1)} s`
  const line = clipped(`meets at   ${name}${state}${silent}`, width)
  return state === '' && silent === '' ? paint.dim(line) : paint.red(line)
}

/** Why nobody may be let in just now; null if there is no reason. */
function standstill({ view, nodes, place }: Frame): string | null {
  if (view === null) return null
  const silent = nodes.filter(({ state }) => state === 'killed' || state === 'paused' || state === 'cut off')
  // At a meeting place nobody votes.
  if (place === null && 2 * silent.length >= nodes.length) {
    return `${nodes.length - silent.length} of ${nodes.length} are no majority: nobody enters`
  }
  const missed = silent.filter(({ id }) => view.members.includes(id))
  if (missed.length === 0) return null
  const ids = missed.map(({ id }) => id).join(', ')
  return missed.some(({ leaseLeft }) => leaseLeft > 0)
    ? `until the lease of ${ids} has ended`
    : `a view without ${ids} is being made`
}

function clock(elapsed: number): string {
  const seconds = Math.floor(elapsed / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function inks(paint: Terminal['paint']): Readonly<Record<NodeState, Ink>> {
  return {
    starting: paint.dim,
    'in view': paint.green,
    'left out': paint.yellow,
    paused: paint.yellow,
    killed: paint.red,
    'cut off': paint.magenta,
  }
}

function nameColumns(
  { leaseMs }: Frame,
  paint: Terminal['paint'],
  inked: Readonly<Record<NodeState, Ink>>,
): Column<NameRow>[] {
  const holder = ({ holder, holderState, leaseLeft }: NameRow): Cell => {
    if (holder === null || holderState === null) return { text: '–', ink: paint.dim }
    if (holderState === 'in view') return { text: holder, ink: (text) => paint.bold(paint.green(text)) }
    return { text: `${holder} ${holderState} ${bar(leaseLeft / leaseMs)}`, ink: inked[holderState] }
  }
  return [
    { head: 'lock', width: 9, rank: 0, cell: ({ name }) => ({ text: name, ink: paint.bold }) },
    { head: 'held by', width: 16, rank: 1, cell: holder },
    { head: 'waiting', width: 9, rank: 2, grows: true, cell: ({ waiters }) => ({ text: waiters.join(' ') }) },
    { head: 'turns', width: 6, rank: 4, alignsRight: true, cell: ({ turns }) => ({ text: String(turns) }) },
    {
      head: 'fence',
      width: 17,
      rank: 3,
      alignsRight: true,
      cell: ({ fence }) => ({ text: fence ?? '–', ink: paint.dim }),
    },
  ]
}

type ShownNode = Pick<NodeRow, 'turnsPerSecond' | 'messagesPerTurn' | 'p50' | 'p99'> & {
  readonly node: NodeRow | null
  readonly number: number
}

/** The nodes, and below them all together. */
function nodeRows({ nodes, all }: Frame): ShownNode[] {
  return [...nodes.map((node, i) => ({ ...node, node, number: i + 1 })), { ...all, node: null, number: 0 }]
}

function nodeColumns(
  { leaseMs, selected }: Frame,
  paint: Terminal['paint'],
  inked: Readonly<Record<NodeState, Ink>>,
): Column<ShownNode>[] {
  const isSelected = ({ number }: ShownNode) => number === selected + 1
  const shown = (row: ShownNode): Cell =>
    row.node === null
      ? { text: '    all', ink: paint.dim }
      : {
          text: `${isSelected(row) ? '▸' : ' '}${String(row.number).padStart(2)} ${row.node.id}`,
          ink: isSelected(row) ? (text) => paint.bold(paint.cyan(text)) : plain,
        }
  const figure = (head: string, width: number, rank: number, text: (row: ShownNode) => string) => ({
    head,
    width,
    rank,
    alignsRight: true,
    cell: (row: ShownNode) => ({ text: text(row) }),
  })
  return [
    { head: '    node', width: 8, rank: 0, cell: shown },
    {
      head: 'state',
      width: 8,
      rank: 1,
      cell: ({ node }) => (node === null ? { text: '' } : { text: node.state, ink: inked[node.state] }),
    },
    {
      head: 'lease',
      width: BAR,
      rank: 6,
      cell: ({ node }) => ({ text: node === null ? '' : bar(node.leaseLeft / leaseMs), ink: paint.dim }),
    },
    figure('turns/s', 7, 2, ({ turnsPerSecond }) => turnsPerSecond.toFixed(1)),
    figure('msgs/turn', 9, 3, ({ messagesPerTurn }) => messagesPerTurn?.toFixed(1) ?? '–'),
    figure('p50 wait', 8, 4, ({ p50 }) => wait(p50)),
    figure('p99 wait', 8, 5, ({ p99 }) => wait(p99)),
    {
      head: 'inside',
      width: 10,
      rank: 7,
      grows: true,
      cell: ({ node }) => ({ text: node?.holds.join(' ') ?? '', ink: paint.green }),
    },
  ]
}

const BAR = 5

function bar(share: number): string {
  const full = Math.min(BAR, Math.ceil(share * BAR))
  return '▰'.repeat(full) + '▱'.repeat(BAR - full)
}

function plain(text: string): string {
  return text
}

function keysFor({ nodes, place }: Frame): string[] {
  const { length } = nodes
  const select = length === 1 ? [] : [length > 9 ? '1-9 ↑↓ select' : `1-${length} select`]
  const cut = place === null || place.engine !== null ? ['x cut off', 'h heal'] : []
  const engine = place === null || place.engine === null ? [] : ['e engine: kill -9, start']
  return [...select, 'k kill -9', 'r restart', 'p pause', 'c continue', ...cut, ...engine, 'q quit']
}

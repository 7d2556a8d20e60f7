import type { NodeId } from '../algorithm.ts'
import type { Happening, NodeStatus } from './happening.ts'
import { messageDetails, messageType } from './sentence.ts'

/** One character of a picture, and what it stands for. */
export interface Cell {
  readonly glyph: string
  readonly role: 'waiting' | 'inside' | 'crashed' | 'message' | null
}

/** Lanes side by side: node i stands at column i * pitch. */
export interface Lanes {
  readonly nodes: number
  readonly pitch: number
}

export const LANE_CELLS: { readonly [Status in NodeStatus]: Cell } = {
  idle: { glyph: '│', role: null },
  waiting: { glyph: '┆', role: 'waiting' },
  inside: { glyph: '█', role: 'inside' },
  crashed: { glyph: '×', role: 'crashed' },
  paused: { glyph: '‖', role: 'crashed' },
  absent: { glyph: '·', role: 'crashed' },
}

const BLANK: Cell = { glyph: ' ', role: null }

/** Beside the last lane there is room for a message that a node sends to itself. */
export function lanesWidth({ nodes, pitch }: Lanes): number {
  return (nodes - 1) * pitch + 3
}

/** The numbers of the nodes, each above its lane. */
export function laneHeads({ nodes, pitch }: Lanes): string {
  return Array.from({ length: nodes }, (_, node) => String(node).padEnd(pitch)).join('')
}

/** The lanes alone, as they are after a happening. */
export function quietCells(lanes: Lanes, statuses: readonly NodeStatus[]): Cell[] {
  const cells = Array.from({ length: lanesWidth(lanes) }, () => BLANK)
  statuses.forEach((status, node) => {
    cells[node * lanes.pitch] = LANE_CELLS[status]
  })
  return cells
}

/** The lanes with the arrow of the message that arrived or was lost, if it is about one. */
export function happeningCells(lanes: Lanes, { cause, transit, statuses }: Happening): Cell[] {
  const cells = quietCells(lanes, statuses)
  if (cause.is !== 'receive' && cause.is !== 'lose') return cells
  if (transit === null || transit.to === null) return cells
  const { from, to, message } = transit
  if (from === to) {
    const column = to * lanes.pitch
    cells[column + 1] = line(cause.is === 'lose' ? '✗' : '◀')
    cells[column + 2] = line('●')
    return cells
  }
  const head = cause.is === 'lose' ? '✗' : from < to ? '▶' : '◀'
  drawArrow(cells, lanes, from, to, head)
  const room = labelRoom(lanes, from, to)
  const label = fitLabel(messageType(message), messageDetails(message), room.length)
  const offset = room.start + Math.ceil((room.length - label.length) / 2)
  for (const [i, glyph] of label.split('').entries()) cells[offset + i] = line(glyph)
  return cells
}

/** Draws between the lanes only, so that every node's status stays visible. */
function drawArrow(cells: Cell[], { pitch }: Lanes, from: NodeId, to: NodeId, head: string): void {
  const step = from < to ? 1 : -1
  const start = from * pitch
  const end = to * pitch
  for (let column = start + step; column !== end; column += step) {
    if (column % pitch !== 0) cells[column] = line('─')
    else if (cells[column] === LANE_CELLS.idle) cells[column] = { glyph: '┼', role: null }
  }
  cells[start + step] = line('●')
  cells[end - step] = line(head)
}

/** The stretch beside the sender's lane, up to the next lane. */
function labelRoom({ pitch }: Lanes, from: NodeId, to: NodeId): { start: number; length: number } {
  const isAdjacent = Math.abs(from - to) === 1
  const left = (from < to ? from : from - 1) * pitch
  // The sender's end takes one column; the head takes another where it is in the same stretch.
  const before = from < to || isAdjacent ? 1 : 0
  const after = from > to || isAdjacent ? 1 : 0
  return { start: left + 1 + before, length: Math.max(0, pitch - 1 - before - after) }
}

/** What of a label has room: first what the message carries is left out, from the end, then its type is cut. */
function fitLabel(type: string, details: readonly string[], room: number): string {
  for (let kept = details.length; kept >= 0; kept -= 1) {
    const label = [type, ...details.slice(0, kept)].join(' ')
    if (label.length <= room) return label
  }
  return room > 3 ? `${type.slice(0, room - 1)}…` : type.slice(0, room)
}

function line(glyph: string): Cell {
  return { glyph, role: 'message' }
}

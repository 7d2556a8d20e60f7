/** Who holds and who waits: what a node knows of itself, and how it asks the others. */
import { sendOnLink } from './links.ts'
import type { NameStanding, Payload } from './messages.ts'
import type { Id } from './record.ts'
import type { LocalName, Node, Turn } from './state.ts'

export function standings({ names }: Node, only: string | null, now: number): NameStanding[] {
  const asked = only === null ? [...names] : [...names].filter(([name]) => name === only)
  return asked.map(([name, local]) => standing(name, local, now)).filter(isBusy)
}

function standing(name: string, { waiting, seats }: LocalName, now: number): NameStanding {
  const age = (since: number) => Math.max(0, now - since)
  return {
    name,
    held: seats.flatMap(({ holds }) =>
      holds.map(({ mode, fence, since }) => ({ mode, fence, age: age(since) })),
    ),
    pending: waiting.filter(({ probes }) => !probes).map(({ mode, since }) => ({ mode, age: age(since) })),
  }
}

function isBusy({ held, pending }: NameStanding): boolean {
  return held.length + pending.length > 0
}

export function askMembers(turn: Turn, name: string | null, ticket: number): void {
  for (const { id } of turn.node.begun?.members ?? []) {
    if (id !== turn.node.id) sendOnLink(turn, id, { kind: 'ask', name, ticket })
  }
}

export function onAsk(turn: Turn, from: Id, { name, ticket }: Extract<Payload, { kind: 'ask' }>): void {
  const pieces = inPieces(standings(turn.node, name, turn.now))
  pieces.forEach((names, i) => {
    sendOnLink(turn, from, { kind: 'tell', ticket, names, more: i < pieces.length - 1 })
  })
}

/** Each has few enough callers that it fits a frame, whatever the names: what cannot be sent would stop the link. */
function inPieces(all: readonly NameStanding[]): NameStanding[][] {
  const pieces: NameStanding[][] = [[]]
  let room = PIECE
  for (const { name, held, pending } of all) {
    const count = held.length + pending.length
    for (let at = 0; at < count; ) {
      if (room === 0) {
        pieces.push([])
        room = PIECE
      }
      const end = Math.min(count, at + room)
      const pendingFrom = Math.max(0, at - held.length)
      const pendingTo = Math.max(0, end - held.length)
      pieces.at(-1)?.push({ name, held: held.slice(at, end), pending: pending.slice(pendingFrom, pendingTo) })
      room -= end - at
      at = end
    }
  }
  return pieces
}

/** Callers in one message. */
const PIECE = 2000

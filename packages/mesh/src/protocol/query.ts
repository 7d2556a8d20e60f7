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
  sendOnLink(turn, from, { kind: 'tell', ticket, names: standings(turn.node, name, turn.now) })
}

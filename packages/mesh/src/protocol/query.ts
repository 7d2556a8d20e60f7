/** Who holds and who waits: what a node knows of itself, and how it asks the others. */
import { get } from '@turnwise/core/bounds'
import type { Event } from './events.ts'
import { sendOnLink } from './links.ts'
import type { Asked, HoldStanding, NameStanding, Payload, Standing } from './messages.ts'
import type { Id } from './record.ts'
import { rules } from './rules.ts'
import type { LocalName, Node, Telling, Turn, Waiting } from './state.ts'

export function standings(node: Node, asked: Asked, now: number): NameStanding[] {
  const { names } = node
  const found: NameStanding[] = []
  for (const name of namesFor(node, asked)) {
    const local = names.get(name)
    if (local !== undefined) found.push(standing(name, local, now))
  }
  return found.filter(isBusy)
}

function namesFor({ names }: Node, asked: Asked): Iterable<string> {
  if (asked === null) return names.keys()
  if (typeof asked === 'string') return [asked]
  return [...names].flatMap(([name, local]) => (hasHolder(local) ? [name] : []))
}

/** Of very many names few: each is looked at, and nothing is made for it. */
function hasHolder({ waiting, seats }: LocalName): boolean {
  return waiting.some(saysHolder) || seats.some(({ holds }) => holds.some(saysHolder))
}

function saysHolder({ about }: Waiting): boolean {
  return about !== undefined && about.holders.length > 0
}

function standing(name: string, { waiting, seats }: LocalName, now: number): NameStanding {
  const age = (since: number) => Math.max(0, now - since)
  return {
    name,
    held: seats.flatMap(({ holds }) =>
      holds.map(({ mode, fence, since, about }) =>
        about === undefined ? { mode, fence, age: age(since) } : { mode, fence, age: age(since), about },
      ),
    ),
    pending: waiting
      .filter(({ probes }) => !probes)
      .map(({ mode, since, about }) => ({ mode, age: age(since), ...(about && { about }) })),
  }
}

function isBusy({ held, pending }: NameStanding): boolean {
  return held.length + pending.length > 0
}

export function askMembers(turn: Turn, name: Asked, ticket: number): void {
  for (const { id } of turn.node.begun?.members ?? []) {
    if (id !== turn.node.id) sendOnLink(turn, id, { kind: 'ask', name, ticket })
  }
}

/** Who stands in line in front of this node its host knows: it says so, and the answer begins. */
export function onAsk(turn: Turn, from: Id, { name, ticket }: Extract<Payload, { kind: 'ask' }>): void {
  const { node, effects } = turn
  if (node.begun !== null) effects.push({ kind: 'asked', from, ticket, name, epoch: node.begun.epoch })
}

export function answer(
  turn: Turn,
  { to, ticket, name, epoch, inLine }: Extract<Event, { kind: 'answer' }>,
): void {
  const { node } = turn
  // With its view a question is over: it is asked again in the next.
  if (node.begun?.epoch !== epoch) return
  node.tellings.push({ to, ticket, names: [...namesFor(node, name)], inLine, at: 0, pieces: [] })
  tellOn(turn, to)
}

/** A piece follows when one before it was acknowledged, so that a long answer makes no heartbeat wait, and no link full. */
export function tellOn(turn: Turn, to: Id): void {
  const { node } = turn
  if (node.tellings.length === 0 || rules.isSilent(node)) return
  for (const telling of node.tellings) {
    if (telling.to !== to) continue
    while (!isTold(telling) && underWay(node, telling) < MOST_UNDER_WAY) tellSome(turn, telling)
  }
  node.tellings = node.tellings.filter((telling) => !isTold(telling))
}

/** One step at least: that there is nothing to tell is an answer too. */
function isTold(telling: Telling): boolean {
  return telling.at > 0 && isAtEnd(telling) && telling.pieces.length === 0
}

function isAtEnd({ at, names, inLine }: Telling): boolean {
  return at >= names.length + inLine.length
}

function underWay({ links }: Node, { to, ticket }: Telling): number {
  const unacked = links[to]?.unacked ?? []
  return unacked.filter(({ payload }) => payload.kind === 'tell' && payload.ticket === ticket).length
}

function tellSome(turn: Turn, telling: Telling): void {
  const { to, ticket, pieces } = telling
  if (pieces.length === 0) pieces.push(...nextPieces(turn, telling))
  const names = pieces.shift() as NameStanding[]
  sendOnLink(turn, to, { kind: 'tell', ticket, names, more: !isTold(telling) })
}

/** As names are now: of a long answer the end is told of a later moment than the beginning. */
function nextPieces({ node, now }: Turn, telling: Telling): NameStanding[][] {
  const { names, inLine } = telling
  const some: NameStanding[] = []
  for (let callers = 0; callers < PIECE && (telling.at === 0 || !isAtEnd(telling)); telling.at += 1) {
    const { at } = telling
    const found =
      at < names.length
        ? standings(node, get(names, at), now)
        : inLine.slice(at - names.length, at - names.length + 1)
    for (const { held, pending } of found) callers += weigh(held) + weigh(pending)
    some.push(...found)
  }
  return inPieces(some)
}

/** Each has few enough callers that it fits a frame, whatever the names: what cannot be sent would stop the link. */
function inPieces(all: readonly NameStanding[]): NameStanding[][] {
  const pieces: NameStanding[][] = [[]]
  let room = PIECE
  for (const { name, held, pending } of all) {
    let part: { name: string; held: HoldStanding[]; pending: Standing[] } | null = null
    const partFor = (caller: Standing) => {
      if (room <= 0) {
        pieces.push([])
        room = PIECE
        part = null
      }
      if (part === null) {
        part = { name, held: [], pending: [] }
        pieces.at(-1)?.push(part)
      }
      room -= weight(caller)
      return part
    }
    for (const caller of held) partFor(caller).held.push(caller)
    for (const caller of pending) partFor(caller).pending.push(caller)
  }
  return pieces
}

/** What a caller says of itself takes the room of others. */
function weight({ about }: Standing): number {
  if (about === undefined) return 1
  const { info, holders } = about
  return 2 + holders.reduce((sum, { length }) => sum + length, info?.length ?? 0) / CHARACTERS
}

function weigh(callers: readonly Standing[]): number {
  return callers.reduce((sum, caller) => sum + weight(caller), 0)
}

/** Callers in one message. */
const PIECE = 500
/** So many take the room of a caller. */
const CHARACTERS = 64
/** Messages of one answer that are not acknowledged. */
const MOST_UNDER_WAY = 2

/** Who holds and who waits: how a node lists its own callers, and how it asks the others. */
import { get } from '@turnwise/core/bounds'
import type { Event } from './events.ts'
import { waitIn } from './instances.ts'
import { lineAt } from './line.ts'
import { sendOnLink } from './links.ts'
import type { Asked, HoldStanding, NameStanding, Payload, SeatStanding, Standing } from './messages.ts'
import { isGroup } from './names.ts'
import type { Id } from './record.ts'
import { rules } from './rules.ts'
import type { Handling, LocalName, Node, Telling, Waiting } from './state.ts'

export function standings(node: Node, asked: Asked, now: number): NameStanding[] {
  const { names } = node
  const found: NameStanding[] = []
  for (const name of namesFor(node, asked)) {
    const local = names.get(name)
    if (local !== undefined) found.push(standing(node, name, local, now))
  }
  return found.filter(isBusy)
}

function namesFor({ names }: Node, asked: Asked): Iterable<string> {
  if (asked === null) return names.keys()
  if (typeof asked === 'string') return [asked]
  return [...names].flatMap(([name, local]) => (hasHolder(local) || isAwaited(name, local) ? [name] : []))
}

/** Whether only callers that name their holder are asked for. */
export function areHolders(asked: Asked): boolean {
  return asked !== null && typeof asked === 'object'
}

/** A cheap test, because few of very many names have such a caller. */
function hasHolder({ waiting, seats }: LocalName): boolean {
  return waiting.some(saysHolder) || seats.some(({ holds }) => holds.some(saysHolder))
}

/** A seat of a group keeps others waiting, even if its caller names no holder or has gone. */
function isAwaited(name: string, { seats }: LocalName): boolean {
  return isGroup(name) && seats.some(({ instance }) => instance?.phase === 'waiting')
}

function saysHolder({ about }: Waiting): boolean {
  return about !== undefined && about.holders.length > 0
}

function standing(node: Node, name: string, local: LocalName, now: number): NameStanding {
  const { waiting, seats } = local
  const age = (since: number) => Math.max(0, now - since)
  return {
    name,
    held: seats.flatMap(({ holds }) =>
      holds.map(({ mode, fence, since, about, resources }) => ({
        mode,
        fence,
        age: age(since),
        ...(about && { about }),
        ...(resources && { resources }),
      })),
    ),
    pending: waiting
      .filter(({ probes }) => !probes)
      .map(({ mode, since, about, priority, resources }) => ({
        mode,
        age: age(since),
        ...(about && { about }),
        ...(resources && { resources }),
        ...(priority !== 0 && { priority }),
      })),
    ...lineAt(node, name, local),
    ...(isGroup(name) && seatsAt(local)),
  }
}

function seatsAt({ seats }: LocalName): { readonly seats?: readonly SeatStanding[] } {
  const waiting = seats.flatMap(({ instance }): SeatStanding | [] => {
    if (instance?.phase !== 'waiting') return []
    const { caller, wants: resources } = instance
    const wait = waitIn(instance)
    if (wait === undefined || resources === undefined || typeof caller !== 'number') return []
    return { ...wait, caller, resources }
  })
  return waiting.length === 0 ? {} : { seats: waiting }
}

function isBusy({ held, pending, line, seats = [] }: NameStanding): boolean {
  return held.length + pending.length + (line?.places.length ?? 0) + seats.length > 0
}

export function askMembers(handling: Handling, name: Asked, ticket: number): void {
  for (const { id } of handling.node.begun?.members ?? []) {
    if (id !== handling.node.id) sendOnLink(handling, id, { kind: 'ask', name, ticket })
  }
}

/** The host knows the callers that queue in front of this node. It adds them in an `answer` event. */
export function onAsk(
  handling: Handling,
  from: Id,
  { name, ticket }: Extract<Payload, { kind: 'ask' }>,
): void {
  const { node, effects } = handling
  if (node.begun !== null) effects.push({ kind: 'asked', from, ticket, name, epoch: node.begun.epoch })
}

export function answer(
  handling: Handling,
  { to, ticket, name, epoch, inLine }: Extract<Event, { kind: 'answer' }>,
): void {
  const { node } = handling
  // A question ends with its view. The host asks again in the next one.
  if (node.begun?.epoch !== epoch) return
  // The host lists callers that name their holder, because it knows who must be heard before.
  const names = areHolders(name) ? [] : [...namesFor(node, name)]
  node.tellings.push({ to, ticket, names, inLine, at: 0, pieces: [] })
  tellOn(handling, to)
}

/** Sends the next piece when an earlier one was acknowledged. So a long answer delays no heartbeat and fills no link. */
export function tellOn(handling: Handling, to: Id): void {
  const { node } = handling
  if (node.tellings.length === 0 || rules.isSilent(node)) return
  for (const telling of node.tellings) {
    if (telling.to !== to) continue
    while (!isTold(telling) && underWay(node, telling) < MOST_UNDER_WAY) tellSome(handling, telling)
  }
  node.tellings = node.tellings.filter((telling) => !isTold(telling))
}

/** At least one piece is sent: an empty answer is an answer too. */
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

function tellSome(handling: Handling, telling: Telling): void {
  const { to, ticket, pieces } = telling
  if (pieces.length === 0) pieces.push(...nextPieces(handling, telling))
  const names = pieces.shift() as NameStanding[]
  sendOnLink(handling, to, { kind: 'tell', ticket, names, more: !isTold(telling) })
}

/** Standings at this moment. The end of a long answer is later than its beginning. */
function nextPieces({ node, now }: Handling, telling: Telling): NameStanding[][] {
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

type Part = Pick<NameStanding, 'name' | 'line' | 'seats'> & { held: HoldStanding[]; pending: Standing[] }

/**
 * Splits by callers, so that every piece fits a frame, whatever the names. A message that cannot be sent would block the link.
 */
function inPieces(all: readonly NameStanding[]): NameStanding[][] {
  const pieces: NameStanding[][] = [[]]
  let room = PIECE
  for (const { name, held, pending, line, seats } of all) {
    let part: Part | null = null
    let rest = line
    let untold = seats
    const partFor = (caller: Standing | null) => {
      if (room <= 0) {
        pieces.push([])
        room = PIECE
        part = null
      }
      if (part === null) {
        part = { name, held: [], pending: [], ...(rest && { line: rest }), ...(untold && { seats: untold }) }
        pieces.at(-1)?.push(part)
        room -= (rest?.places.length ?? 0) + (untold?.length ?? 0)
        // The places and the seats are told once.
        rest &&= { ...rest, isHead: false, places: [] }
        untold = undefined
      }
      room -= caller === null ? 0 : weight(caller)
      return part
    }
    if (held.length + pending.length === 0) partFor(null)
    for (const caller of held) partFor(caller).held.push(caller)
    for (const caller of pending) partFor(caller).pending.push(caller)
  }
  return pieces
}

/** A caller with an `about` takes the room of several. */
function weight({ about }: Standing): number {
  if (about === undefined) return 1
  const { info, holders } = about
  return 2 + holders.reduce((sum, { length }) => sum + length, info?.length ?? 0) / CHARACTERS
}

function weigh(callers: readonly Standing[]): number {
  return callers.reduce((sum, caller) => sum + weight(caller), 0)
}

/** How many callers fit in one message. */
const PIECE = 500
/** How many characters take the room of one caller. */
const CHARACTERS = 64
/** How many messages of one answer may be unacknowledged. */
const MOST_UNDER_WAY = 2

import type { AnyProtocol, Mode, NodeId, ResourceId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { firstCrowd } from '@turnwise/core/modes'
import type { Happening, NodeStatus } from '@turnwise/core/trace/happening'
import { countWhile } from './count-while.ts'
import { type Letter, OPEN_EVERY, type Recording, type Span } from './recording.ts'
import { spansBetween } from './spans.ts'
import type { Timeline } from './timeline.ts'
import type { ViewMoment } from './views.ts'

/** All that can be said of a run when the first `position` happenings have happened. */
export interface Moment {
  readonly position: number
  /** In ticks. */
  readonly at: number
  /** What happened last; null at the beginning. */
  readonly happening: Happening | null
  readonly nodes: readonly NodeMoment[]
  readonly underWay: readonly Letter[]
  readonly cuts: readonly { readonly from: NodeId; readonly to: NodeId }[]
  readonly inside: readonly Span[]
  readonly waiting: readonly Span[]
  /** Of the record of a mesh: its newest view; null before the first, and for all other runs. */
  readonly view: ViewMoment | null
}

export interface NodeMoment {
  readonly node: NodeId
  readonly status: NodeStatus
  /** The algorithm's own variables; null where they are not known. */
  readonly state: object | null
  /** What they were before the last happening, if that changed them. */
  readonly before: object | null
  /** Whether the last happening was at this node. */
  readonly isActive: boolean
  /** What it asks for or has, where a request may be for several resources; null else. */
  readonly resources: readonly ResourceId[] | null
  /** How it asks or is inside; exclusive while it does neither. */
  readonly mode: Mode
  /** Tokens that lie here. */
  readonly tokens: number
  /** Whether it is inside together with others that exclude it. */
  readonly isViolating: boolean
}

/** Those inside, with one resource, if they are more than may be together; none if all is well. */
export function tooMany(inside: readonly Span[], entries: number): readonly Span[] {
  return firstCrowd(inside, entries)?.stays ?? []
}

export function momentAt(recording: Recording, position: number, protocol: AnyProtocol | null): Moment {
  const happening = recording.happenings[position - 1] ?? null
  const statuses = statusesAt(recording, position)
  const concerns = happening?.concerns ?? []
  const inside = spansBetween(recording.stays, position, position)
  const waiting = spansBetween(recording.waits, position, position)
  const violating = new Set(tooMany(inside, recording.header.entries).map(({ node }) => node))
  return {
    position,
    at: happening?.at ?? 0,
    happening,
    nodes: statuses.map((status, node): NodeMoment => {
      const { state, before } = stateAt(recording, node, position)
      const tokens = protocol?.tokens === undefined || state === null ? 0 : protocol.tokens.held(state)
      const isActive = concerns.includes(node)
      const wish = [...inside, ...waiting].find((span) => span.node === node)
      const { resources = null, mode = 'exclusive' } = wish ?? {}
      const isViolating = violating.has(node)
      return { node, status, state, before, isActive, resources, mode, tokens, isViolating }
    }),
    underWay: lettersAt(recording, position),
    cuts: recording.cuts.filter(({ since, until }) => since <= position && position < until),
    inside,
    waiting,
    view: recording.views[countWhile(recording.views, ({ from }) => from <= position) - 1] ?? null,
  }
}

function statusesAt(
  { happenings, header, dead, absent }: Recording,
  position: number,
): readonly NodeStatus[] {
  if (position > 0) return get(happenings, position - 1).statuses
  return Array.from({ length: header.nodes }, (_, node) =>
    absent.includes(node) ? 'absent' : dead.includes(node) ? 'crashed' : 'idle',
  )
}

/** A node's state at a position, and what it was one before if that is something else. */
export function stateAt(
  { states }: Recording,
  node: NodeId,
  position: number,
): { state: object | null; before: object | null } {
  const list = states[node] ?? []
  const known = countWhile(list, (change) => change.from <= position)
  if (known === 0) return { state: null, before: null }
  const { state, from } = get(list, known - 1)
  if (from !== position || position === 0) return { state, before: null }
  // Several changes can belong to one happening.
  let older = known - 2
  while (older >= 0 && get(list, older).from === position) older -= 1
  return { state, before: list[older]?.state ?? null }
}

export function lettersAt({ open, letters }: Recording, position: number): Letter[] {
  const known = open[Math.floor(position / OPEN_EVERY)] ?? []
  const since = Math.floor(position / OPEN_EVERY) * OPEN_EVERY
  const underWay = known.filter(({ until }) => until > position)
  for (
    let i = firstSentAfter(letters, since);
    i < letters.length && get(letters, i).since <= position;
    i += 1
  )
    if (get(letters, i).until > position) underWay.push(get(letters, i))
  return underWay
}

/** The first letter that was sent after a position. */
export function firstSentAfter(letters: readonly Letter[], position: number): number {
  return countWhile(letters, ({ since }) => since <= position)
}

/** The last position at which nothing has happened yet after this time, in ticks. */
export function positionAt({ happenings }: Recording, at: number): number {
  return countWhile(happenings, (happening) => happening.at <= at)
}

/** The next position at which somebody has just entered, or elected somebody; the end if there is none. */
export function nextEntry({ entered, happenings }: Timeline, position: number): number {
  for (let next = position + 1; next < entered.length; next += 1)
    if (get(entered, next) > get(entered, next - 1)) return next
  return happenings.length
}

export function previousEntry({ entered }: Timeline, position: number): number {
  for (let before = position - 1; before > 0; before -= 1)
    if (get(entered, before) > get(entered, before - 1)) return before
  return 0
}

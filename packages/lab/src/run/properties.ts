import { type AnyProtocol, isElection, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { timeText } from '@turnwise/core/trace/sentence'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type Moment, tooMany } from './moment.ts'
import { propertyTitle } from './property-title.ts'
import type { Letter, Recording, Span } from './recording.ts'
import type { ViewMoment } from './views.ts'

/** A property, and whether it holds at this moment. */
export interface Property {
  readonly name: 'exclusion' | 'tokens' | 'deadlock' | 'waiting' | 'coordinator' | 'rules'
  /** "At most one inside". */
  readonly title: string
  /** Null where the record does not tell enough to say so. */
  readonly holds: boolean | null
  /** Why, in a sentence. */
  readonly reason: string
  /** Where it began to fail; null while it holds. */
  readonly since: number | null
}

/** All properties of a moment, in a fixed order. The run is known to its end, so we know which nodes wait in vain. */
export function propertiesAt(recording: Recording, moment: Moment, protocol: AnyProtocol | null): Property[] {
  const elects = protocol !== null && isElection(protocol)
  const shown = [
    ...(elects ? [coordinator(recording, moment)] : [exclusion(recording, moment)]),
    ...(protocol?.tokens === undefined ? [] : [tokensOf(recording, moment, protocol.tokens)]),
    deadlock(recording, moment),
    waiting(recording, moment, elects ? 'Everyone learns the result' : 'Everyone gets a turn'),
  ]
  return [...shown, ...found(recording, moment, shown)]
}

function names(nodes: readonly NodeId[]): string {
  const sorted = nodes.toSorted((a, b) => a - b)
  return sorted.length === 1
    ? `node ${sorted[0]}`
    : `nodes ${sorted.slice(0, 6).join(', ')}${sorted.length > 6 ? ', …' : ''}`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function exclusion({ header, untold }: Recording, { inside, view }: Moment): Property {
  const { entries } = header
  const ofResources = 'resources' in header.settings
  const title = `At most ${entries === 1 ? 'one' : entries} inside${ofResources ? ' with each resource' : ''}`
  const crowd = tooMany(inside, entries)
  const holds = crowd.length === 0
  const shown = holds ? inside : crowd
  const who = names(shown.map(({ node }) => node))
  const now = shown.length === 0 ? 'nobody is inside' : `${who} ${shown.length === 1 ? 'is' : 'are'} inside`
  const unknown = [...untold, ...(view?.unseen ?? [])]
  if (holds && unknown.length > 0) {
    const reason = `${capital(now)}; the record does not show ${names(unknown)}.`
    return { name: 'exclusion', title, holds: null, reason, since: null }
  }
  const apart = ofResources ? ', with different resources.' : ', and all of them share.'
  const together = `together${ofResources ? ' with the same resource' : ''}`
  const reason = holds
    ? capital(now) + (inside.length > entries ? apart : '.')
    : `${capital(now)} ${together}${entries === 1 ? '' : `; ${entries} may be`}.`
  return { name: 'exclusion', title, holds, reason, since: holds ? null : lastBegun(crowd) }
}

function lastBegun(spans: readonly Span[]): number {
  return Math.max(...spans.map(({ from }) => from))
}

interface Tokens {
  held(state: object): number
  carried(message: { readonly type: string }): number
}

function tokensOf(recording: Recording, moment: Moment, counted: Tokens): Property {
  const unknown = (reason: string): Property => ({
    name: 'tokens',
    title: 'One token',
    holds: null,
    reason,
    since: null,
  })
  const { view } = moment
  if (recording.noStates !== null) return unknown(`The place of the token is unknown. ${recording.noStates}`)
  if (recording.views.length === 0) return tokens(recording, moment, counted)
  if (view === null) return unknown('No view has begun yet.')
  const others = view.members.filter((node) => !view.begun.has(node))
  if (others.length === 0) return tokens(recording, inView(moment, view), counted)
  const verb = others.length === 1 ? 'is' : 'are'
  const where = `${capital(names(others))} ${verb} not seen to have begun view ${view.epoch}`
  return unknown(`${where}, and may have the token.`)
}

/** Only what belongs to the newest view: a token of an earlier one is void, even if a node still has it. */
function inView(moment: Moment, { members, begun }: ViewMoment): Moment {
  return {
    ...moment,
    nodes: moment.nodes.filter(({ node }) => members.includes(node)),
    underWay: moment.underWay.filter(({ from, since }) => since >= (begun.get(from) ?? Infinity)),
  }
}

/** As many tokens as the world began with; those in the memory of a crashed node are lost with it. */
function tokens({ states, header }: Recording, moment: Moment, counted: Tokens): Property {
  const first = states.reduce((sum, [begin]) => sum + (begin?.state ? counted.held(begin.state) : 0), 0)
  // Every view of a mesh begins with one.
  const wanted = moment.view === null ? Math.max(1, first) : 1
  const isAway = (status: string) => status === 'crashed' || status === 'absent'
  const holders = moment.nodes.filter(({ tokens: count, status }) => count > 0 && !isAway(status))
  const lost = moment.nodes.filter(({ tokens: count, status }) => count > 0 && isAway(status))
  const travelling = moment.underWay.filter(({ message }) => counted.carried(message) > 0)
  const count =
    holders.reduce((sum, { tokens: here }) => sum + here, 0) +
    travelling.reduce((sum, { message }) => sum + counted.carried(message), 0)
  const places = [
    ...holders.map(({ node }) => `at node ${node}`),
    ...travelling.map(({ from, to }) => `on the way from ${from} to ${to}`),
  ]
  const title = wanted === 1 ? 'One token' : `${wanted} tokens`
  const where =
    places.length === 0 ? '' : `: ${places.slice(0, 4).join(', ')}${places.length > 4 ? ', …' : ''}`
  const told = `There ${count === 1 ? 'is 1 token' : `are ${count} tokens`}${where}`
  const why =
    count < wanted && lost.length > 0 ? `; ${names(lost.map(({ node }) => node))} crashed with it` : ''
  // Where k may enter, how many tokens there are at most is what the paper promises.
  const holds = header.entries > 1 ? count <= wanted : count === wanted
  return { name: 'tokens', title, holds, reason: `${told}${why}.`, since: holds ? null : moment.position }
}

/** What moves a run on, apart from somebody who asks and from outside. */
const MOVES: ReadonlySet<TraceEvent['is']> = new Set([
  'receive',
  'leave',
  'timeout',
  'proceed',
  'undelivered',
  'suspect',
  'restore',
  'enter',
])

/** A node waits, and only new requests can still happen. */
function deadlock(recording: Recording, { position, waiting, inside, underWay }: Moment): Property {
  const title = 'No deadlock'
  const { happenings, isCut } = recording
  const canBeStuck = waiting.length > 0 && inside.length === 0 && underWay.length === 0
  if (canBeStuck && endsOpen(recording) && position === happenings.length) {
    const reason = 'A node waits where the record ends, so this cannot be decided.'
    return { name: 'deadlock', title, holds: null, reason, since: null }
  }
  if (!canBeStuck || isCut || movesAfter(recording, position)) {
    const reason = waiting.length === 0 ? 'Nobody waits.' : 'Something can still happen.'
    return { name: 'deadlock', title, holds: true, reason, since: null }
  }
  const who = names(waiting.map(({ node }) => node))
  const verb = waiting.length === 1 ? 'waits' : 'wait'
  const reason = `${capital(who)} ${verb}, and no message is under way and no timer runs.`
  return { name: 'deadlock', title, holds: false, reason, since: position }
}

/** All of it is there, and the run went on nevertheless: a record may end at any moment, and a long run is broken off. */
function endsOpen({ isCut, isWhole }: Recording): boolean {
  return isCut && isWhole
}

function movesAfter({ happenings }: Recording, position: number): boolean {
  for (let i = position; i < happenings.length; i += 1)
    if (MOVES.has(get(happenings, i).cause.is)) return true
  return false
}

/** Every waiting node gets in, and not much later than the others. */
function waiting(recording: Recording, moment: Moment, title: string): Property {
  const { entered, header } = recording
  const { waiting: spans, position } = moment
  const inVain = spans.filter((span) => waitsInVain(recording, moment, span))
  const [first] = inVain
  if (first !== undefined) {
    const reason = vainReason(recording, moment, inVain)
    return { name: 'waiting', title, holds: false, reason, since: first.from }
  }
  const limit = 2 * header.nodes * header.entries
  const passed = spans.map((span) => ({ span, count: get(entered, position) - get(entered, span.from) }))
  const long = passed.filter(({ count }) => count > limit)
  if (long.length > 0) {
    const { span, count } = long.reduce((a, b) => (b.count > a.count ? b : a))
    const reason = `Node ${span.node} has waited since ${timeText(span.fromAt)} while others entered ${count} times.`
    return { name: 'waiting', title, holds: false, reason, since: span.from }
  }
  const count = spans.length
  const willEnd = spans.every(({ until }) => Number.isFinite(until))
  const now = count === 1 ? 'One node waits' : `${count} nodes wait`
  if (!willEnd && endsOpen(recording)) {
    const reason = `${now} where the record ends, so this cannot be decided.`
    return { name: 'waiting', title, holds: null, reason, since: null }
  }
  const reason = count === 0 ? 'Nobody waits.' : `${now}${willEnd ? ', but not for ever' : ''}.`
  return { name: 'waiting', title, holds: true, reason, since: null }
}

/** It is never let in, and what keeps it out has happened: from then on it waits in vain. */
function waitsInVain(recording: Recording, moment: Moment, span: Span): boolean {
  const { nodes, position, cuts } = moment
  const { node, until } = span
  if (recording.isCut || until !== Number.POSITIVE_INFINITY || get(nodes, node).status === 'crashed')
    return false
  const isHindered = cuts.length > 0 || nodes.some(({ status }) => status !== 'idle' && AWAY.has(status))
  return isHindered || lostBy(recording, position, span) !== undefined || !movesAfter(recording, position)
}

const AWAY: ReadonlySet<string> = new Set(['crashed', 'paused', 'absent'])

/** The first message from or to a node since it asked that was lost. */
function lostBy({ lost }: Recording, position: number, { node, from: asked }: Span): Letter | undefined {
  return lost.find(
    ({ since, until, from, to }) => since >= asked && until <= position && (from === node || to === node),
  )
}

/** Why a node waits for ever, as far as the run shows it: what it sent and what became of it. */
function vainReason(recording: Recording, { position, nodes }: Moment, inVain: readonly Span[]): string {
  const first = get(inVain, 0)
  const { node, fromAt } = first
  const rest = inVain.slice(1).map((span) => span.node)
  const others = rest.length === 0 ? '' : ` The same holds for ${names(rest)}.`
  const start = `Node ${node} has waited since ${timeText(fromAt)} and is never let in`
  const lost = lostBy(recording, position, first)
  if (lost === undefined) {
    const away = nodes.filter(({ status }) => AWAY.has(status))
    const down =
      away.length === 0
        ? ''
        : `: ${names(away.map((other) => other.node))} ${away.length === 1 ? 'is' : 'are'} ${get(away, 0).status}`
    return `${start}${down}.${others}`
  }
  const end = recording.happenings[lost.until - 1]?.cause
  const why = end?.is === 'lose' ? LOSSES[end.why] : 'was lost'
  const what =
    lost.from === node
      ? `its ${lost.message.type} to node ${lost.to} ${why}`
      : `the ${lost.message.type} from node ${lost.from} ${why}`
  return `${start}: ${what}.${others}`
}

const LOSSES = {
  drop: 'was lost on the way',
  cut: 'was lost to a cut channel',
  crash: 'reached a crashed node',
  absent: 'reached a node that is not there',
}

/** The coordinator of the living nodes. */
function coordinator(recording: Recording, { position, nodes, waiting: open }: Moment): Property {
  const title = 'One coordinator'
  const taken = new Map<NodeId, NodeId>()
  for (const { node, coordinator: whom, position: from } of recording.elected)
    if (from <= position) taken.set(node, whom)
  const living = nodes.filter(({ status }) => status !== 'crashed' && status !== 'absent')
  const chosen = [...new Set(living.map(({ node }) => taken.get(node)).filter((node) => node !== undefined))]
  const isOver = position === recording.happenings.length && open.length === 0
  const holds = !isOver || chosen.length <= 1
  const reason =
    chosen.length === 0
      ? 'No node has a coordinator yet.'
      : chosen.length === 1
        ? `All nodes that have a coordinator have node ${chosen[0]}.`
        : `Living nodes have different coordinators: ${names(chosen)}${isOver ? '' : '. The election goes on'}.`
  return { name: 'coordinator', title, holds, reason, since: holds ? null : position }
}

/** The property that tells what a judge, or the checker, found. */
const TOLD_BY: Readonly<Record<string, Property['name']>> = {
  'one-token': 'tokens',
  'no-deadlock': 'deadlock',
  'can-enter': 'waiting',
  'no-starvation': 'waiting',
  'can-end': 'waiting',
  'always-ends': 'waiting',
  'one-coordinator': 'coordinator',
  agreement: 'coordinator',
  highest: 'coordinator',
}

/** What judges found that no other property tells: fences that fall, rules that a handler broke. */
function found({ violations }: Recording, { position }: Moment, shown: readonly Property[]): Property[] {
  const failing = new Set(shown.filter(({ holds }) => holds === false).map(({ name }) => name))
  const first = violations.find(({ judge, position: at }) => {
    const told = TOLD_BY[judge]
    if (at > position || judge === 'exclusion' || judge === 'progress') return false
    return told === undefined || !failing.has(told)
  })
  if (first === undefined) return []
  const title = capital(propertyTitle(first.judge))
  return [{ name: 'rules', title, holds: false, reason: `${capital(first.text)}.`, since: first.position }]
}

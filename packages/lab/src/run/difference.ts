import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Happening } from '@turnwise/core/trace/happening'
import { reasonsOf, timeText } from '@turnwise/core/trace/sentence'
import { sentenceOf } from './event-sentences.ts'
import { propertyTitle } from './property-title.ts'
import type { Finding, Recording } from './recording.ts'

/** Where two runs part. */
export interface Difference {
  /** The position of the first step in which they differ: before it they are the same. */
  readonly position: number
  /** What each of them does in it; null for a run that is over by then. */
  readonly steps: readonly [Happening | null, Happening | null]
  /** A variable that differed before anybody could see it; null if none is known. */
  readonly hidden: HiddenDifference | null
}

export interface HiddenDifference {
  readonly position: number
  readonly node: NodeId
  /** The names of the variables, as the algorithm has them. */
  readonly variables: readonly string[]
}

/** What is known of two runs of one algorithm: where they part, null if nowhere; undefined while they are still being played. */
export function firstDifference(first: Recording, second: Recording): Difference | null | undefined {
  const [one, two] = [first.happenings, second.happenings]
  const both = Math.min(one.length, two.length)
  let same = 0
  while (same < both && isSame(get(one, same), get(two, same))) same += 1
  if (same === both && !(first.isWhole && second.isWhole)) return undefined
  if (same === one.length && same === two.length) return null
  const position = same + 1
  return {
    position,
    steps: [one[same] ?? null, two[same] ?? null],
    hidden: hiddenBefore(first, second, position),
  }
}

/** Whether the same happened, at the same time and with the same messages. Reasons are words, and do not count. */
function isSame(one: Happening, two: Happening): boolean {
  return one.at === two.at && isEqual([one.cause, one.consequences], [two.cause, two.consequences])
}

function isEqual(one: unknown, two: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(two)
}

/** The first change of a state that only one of the runs has, before this position. */
function hiddenBefore(first: Recording, second: Recording, position: number): HiddenDifference | null {
  let found: HiddenDifference | null = null
  for (let node = 0; node < first.header.nodes; node += 1) {
    const [one, two] = [first, second].map(({ states }) =>
      (states[node] ?? []).filter(({ from }) => from < position),
    )
    const at = one?.findIndex((change, i) => !isEqual(change, two?.[i])) ?? -1
    const index = at >= 0 ? at : (one?.length ?? 0)
    const [left, right] = [one?.[index], two?.[index]]
    if (left === undefined && right === undefined) continue
    const from = Math.min(left?.from ?? position, right?.from ?? position)
    if (from >= (found?.position ?? position)) continue
    found = { position: from, node, variables: differing(stateBy(one, from), stateBy(two, from)) }
  }
  return found
}

type States = Recording['states'][number] | undefined

function stateBy(states: States, position: number): object | null {
  return states?.findLast(({ from }) => from <= position)?.state ?? null
}

function differing(one: object | null, two: object | null): string[] {
  const [left, right] = [new Map(Object.entries(one ?? {})), new Map(Object.entries(two ?? {}))]
  return [...new Set([...left.keys(), ...right.keys()])].filter(
    (name) => !isEqual(left.get(name), right.get(name)),
  )
}

/** Where they part, in one sentence, with the reasons of both. */
export function differenceText({ position, steps, hidden }: Difference): string {
  const times = [...new Set(steps.flatMap((step) => (step === null ? [] : [step.at])))]
  const together = times.length === 1 && times[0] !== undefined ? `, at ${timeText(times[0])}` : ''
  const [first, second] = steps.map((step) => stepText(step, together === ''))
  const before =
    hidden === null
      ? ''
      : ` Since step ${hidden.position}, ${hidden.variables.join(' and ') || 'the state'} of node ${hidden.node} differs.`
  return `The runs part at step ${position}${together}: in the first, ${first}; in the second, ${second}.${before}`
}

function stepText(step: Happening | null, hasTime: boolean): string {
  if (step === null) return 'nothing happens any more'
  const told = sentenceOf(step)
    .replace(/ \(sent [\d.]+\)/, '')
    .replaceAll('; ', ' and ')
  const why = reasonsOf(step).join(' ').replace(/\.$/, '')
  const what = `${/^\d/.test(told) ? `node ${told}` : told}${hasTime ? ` at ${timeText(step.at)}` : ''}`
  return why === '' ? what : `${what} (${why})`
}

/** What became of the difference. */
export interface Aftermath {
  /** Types of which one run sent more than the other. */
  readonly messages: readonly { readonly type: string; readonly counts: readonly [number, number] }[]
  /** The first entry that another node has; null if the order is the same. */
  readonly entry: { readonly number: number; readonly nodes: readonly [NodeId | null, NodeId | null] } | null
  /** What the judges first say of each run; null if they say nothing. */
  readonly violations: readonly [Finding | null, Finding | null]
}

export function aftermathOf(first: Recording, second: Recording): Aftermath {
  const counts = [countsOf(first), countsOf(second)]
  const types = [...new Set(counts.flatMap((count) => [...count.keys()]))]
  const [one, two] = [entriesOf(first), entriesOf(second)]
  const length = Math.max(one.length, two.length)
  const at = Array.from({ length }, (_, i) => i).find((i) => one[i] !== two[i])
  return {
    messages: types
      .map((type) => ({ type, counts: [counts[0]?.get(type) ?? 0, counts[1]?.get(type) ?? 0] as const }))
      .filter((count) => count.counts[0] !== count.counts[1]),
    violations: [first.violations[0] ?? null, second.violations[0] ?? null],
    entry: at === undefined ? null : { number: at + 1, nodes: [one[at] ?? null, two[at] ?? null] },
  }
}

function countsOf({ events }: Recording): Map<string, number> {
  const counts = new Map<string, number>()
  for (const event of events)
    if (event.is === 'send') counts.set(event.message.type, (counts.get(event.message.type) ?? 0) + 1)
  return counts
}

function entriesOf({ events }: Recording): NodeId[] {
  return events.flatMap((event) => (event.is === 'enter' || event.is === 'elected' ? [event.node] : []))
}

/** What became of it, in words. */
export function aftermathText({ messages, entry, violations }: Aftermath): string {
  const who = (node: NodeId | null) => (node === null ? 'nobody' : `node ${node}`)
  const counted = messages.map(({ type, counts: [one, two] }) => `${one} and ${two} ${type}`)
  const broken = violations.map((one, which) =>
    one === null
      ? ''
      : `The ${which === 0 ? 'first' : 'second'} violates a property (${propertyTitle(one.judge)}): ${one.text}.`,
  )
  return [
    ...broken.filter((text) => text !== ''),
    counted.length === 0
      ? 'Both send equally many messages of each type.'
      : `Sent in all: ${counted.join(', ')}.`,
    entry === null
      ? 'The order of entry is the same.'
      : `The order of entry differs from entry ${entry.number} on: ${who(entry.nodes[0])} in the first, ${who(entry.nodes[1])} in the second.`,
  ].join(' ')
}

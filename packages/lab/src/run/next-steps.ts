import type { AnyProtocol } from '@turnwise/core/algorithm'
import type { Happening } from '@turnwise/core/trace/happening'
import type { Moment } from './moment.ts'
import { type Offer, offersFor } from './offers.ts'
import type { Letter, Recording } from './recording.ts'
import { sentenceOf } from './words.ts'

/** What can happen next, by kind. */
export interface NextSteps {
  /** What the run does next by itself, in words; null at its end. */
  readonly asItGoes: string | null
  /** Messages that can arrive now, in the order in which they were sent. */
  readonly deliveries: readonly Offer[]
  /** What the callers at the nodes can do: ask, leave, give up, call an election. */
  readonly wishes: readonly Offer[]
  /** Messages that must let an earlier one pass first, since channels keep order here. */
  readonly held: number
}

/** Acts of callers; faults are offered by the menus of nodes, messages and channels. */
const WISHES: ReadonlySet<string> = new Set(['request', 'release', 'withdraw', 'elect'])

export function nextSteps(
  { happenings }: Recording,
  moment: Moment,
  protocol: AnyProtocol,
  channels: 'fifo' | 'unordered',
): NextSteps {
  const { underWay, nodes, position } = moment
  const isOrdered = protocol.facts.medium === 'ordered broadcast'
  const free = underWay.filter((letter) => {
    if (isOrdered) return isHeardNext(letter, happenings, position)
    return channels === 'unordered' || isFirstOnChannel(letter, underWay)
  })
  const deliveries = free.flatMap(({ id, from, to, message }) =>
    offersFor({ is: 'letter', id, to }, moment, protocol)
      .filter(({ acts }) => acts[0]?.does === 'deliver')
      .map(({ acts }) => ({ label: `${message.type} from ${from} arrives at ${to}`, acts })),
  )
  const wishes = nodes.flatMap(({ node }) =>
    offersFor({ is: 'node', node }, moment, protocol)
      .filter(({ acts }) => acts.every(({ does }) => WISHES.has(does)))
      .map(({ label, acts }) => ({ label: `Node ${node}: ${label.toLowerCase()}`, acts })),
  )
  return {
    asItGoes: asItGoes(happenings[position]),
    deliveries,
    wishes,
    held: underWay.length - free.length,
  }
}

function asItGoes(next: Happening | undefined): string | null {
  return next === undefined ? null : sentenceOf(next)
}

/** Letters are in the order in which they were sent. */
function isFirstOnChannel(letter: Letter, underWay: readonly Letter[]): boolean {
  return underWay.find(({ from, to }) => to === letter.to && from === letter.from) === letter
}

/** A node hears its own broadcasts too, which are no letters: what it hears next in the run says whose turn it is. */
function isHeardNext({ id, to }: Letter, happenings: readonly Happening[], position: number): boolean {
  for (let i = position; i < happenings.length; i += 1) {
    const cause = happenings[i]?.cause
    if (cause?.is === 'receive' && cause.node === to) return cause.id === id
  }
  return false
}

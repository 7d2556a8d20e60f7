import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Happening } from '@turnwise/core/trace/happening'
import { timeText } from '@turnwise/core/trace/sentence'
import type { WorldConfig } from '@turnwise/simulator/engine'
import { countWhile } from './count-while.ts'
import { asSentence, sentenceOf } from './event-sentences.ts'
import type { Moment } from './moment.ts'
import { type Offer, offersFor, ownText, type Target, targetText } from './offers.ts'
import type { Letter, Recording } from './recording.ts'

/** What can happen next, by kind. */
export interface NextSteps {
  /** What the run does next by itself, in words; null at its end. */
  readonly asItGoes: string | null
  /** Messages that can arrive now, in the order in which they were sent. */
  readonly deliveries: readonly Offer[]
  /** What the callers at the nodes can do: ask, leave, give up, call an election. */
  readonly wishes: readonly Offer[]
  /** What nodes do by themselves: timers that run, steps, what they hear of others. */
  readonly own: readonly Offer[]
  /** Faults of the kinds that this run has; none in a run without faults. */
  readonly faults: readonly Offer[]
  /** Messages that must let an earlier one pass first, since channels keep order here. */
  readonly held: number
}

/** Acts of callers. */
const WISHES: ReadonlySet<string> = new Set(['request', 'release', 'withdraw', 'elect'])

/** What decides which steps are possible. */
type Possible = Pick<WorldConfig, 'algorithm' | 'channels' | 'faults' | 'setup'>

export function nextSteps(recording: Recording, moment: Moment, world: Possible): NextSteps {
  const { algorithm: protocol, channels } = world
  const { happenings } = recording
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
    own: ownOffers(recording, moment),
    faults: faultOffers(moment, world),
    held: underWay.length - free.length,
  }
}

/** Of nodes that can act now, the earliest first, with the time at which it is due. */
function ownOffers({ ahead, letters }: Recording, { nodes, position }: Moment): Offer[] {
  const known = ahead[countWhile(ahead, ({ from }) => from <= position) - 1]?.ahead ?? []
  const isAwake = (node: NodeId) => !['crashed', 'paused', 'absent'].includes(get(nodes, node).status)
  const messageText = (id: number) => {
    const letter = letters.find((one) => one.id === id)
    return letter === undefined ? 'a message' : `${letter.message.type} to ${letter.to}`
  }
  return known
    .filter(({ act }) => isAwake(act.node))
    .map(({ act, at }) => ({ label: `${ownText(act, messageText)} (due ${timeText(at)})`, acts: [act] }))
}

/** The acts of each kind of fault, and of its end. */
const ACTS_OF_FAULTS: Readonly<Record<string, readonly string[]>> = {
  crash: ['crash', 'restart'],
  restart: ['crash', 'restart'],
  pause: ['pause', 'resume'],
  drop: ['drop'],
  duplicate: ['duplicate'],
  cut: ['cut', 'heal'],
  split: ['cut', 'heal'],
}

function faultOffers(moment: Moment, { algorithm, setup, faults }: Possible): Offer[] {
  const acts = new Set(faults.flatMap(({ kind }) => ACTS_OF_FAULTS[kind] ?? []))
  if (acts.size === 0) return []
  const targets: Target[] = [
    ...moment.nodes.map(({ node }): Target => ({ is: 'node', node })),
    ...moment.underWay.map(({ id, to }): Target => ({ is: 'letter', id, to })),
    ...channelsOf(setup).map((ends): Target => ({ is: 'link', ends })),
  ]
  return targets.flatMap((target) =>
    offersFor(target, moment, algorithm)
      .filter((offer) => offer.acts.every(({ does }) => acts.has(does)))
      .map((offer) => ({
        label: `${targetText(target, moment.underWay)}: ${offer.label.toLowerCase()}`,
        acts: offer.acts,
      })),
  )
}

function channelsOf({ topology }: WorldConfig['setup']): [NodeId, NodeId][] {
  return Array.from({ length: topology.nodes }, (_, node) =>
    topology.neighbours(node).flatMap((other): [NodeId, NodeId][] => (other > node ? [[node, other]] : [])),
  ).flat()
}

function asItGoes(next: Happening | undefined): string | null {
  return next === undefined ? null : asSentence(sentenceOf(next))
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

import { type AnyProtocol, isElection, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { isOwnAct, type OwnAct } from '@turnwise/simulator/ahead'
import type { Act } from '@turnwise/simulator/hands'
import type { Moment } from './moment.ts'
import type { Letter } from './recording.ts'

/** An action that is possible now, in the words of a menu. */
export interface Offer {
  readonly label: string
  readonly acts: readonly Act[]
  /** Where it has a measure: the same with the next smaller and the next larger one, if there are any. */
  readonly measure?: { readonly less: Offer | null; readonly more: Offer | null }
}

/** What hands can be laid on. */
export type Target =
  | { readonly is: 'node'; readonly node: NodeId }
  | { readonly is: 'letter'; readonly id: number; readonly to: NodeId }
  | { readonly is: 'link'; readonly ends: readonly [NodeId, NodeId] }

export function offersFor(target: Target, moment: Moment, protocol: AnyProtocol): Offer[] {
  switch (target.is) {
    case 'node':
      return nodeOffers(target.node, moment, protocol)
    case 'letter':
      return letterOffers(target, moment)
    case 'link':
      return linkOffers(target.ends, moment)
  }
}

function nodeOffers(node: NodeId, { nodes, inside, waiting }: Moment, protocol: AnyProtocol): Offer[] {
  const { status } = get(nodes, node)
  const one = (label: string, act: Act): Offer => ({ label, acts: [act] })
  if (status === 'absent') return []
  if (status === 'crashed')
    return [
      one('Restart with memory', { does: 'restart', node, memory: true }),
      one('Restart without memory', { does: 'restart', node, memory: false }),
    ]
  const crash = one('Crash', { does: 'crash', node })
  if (status === 'paused') return [one('Go on', { does: 'resume', node }), crash]
  const pause = one('Pause', { does: 'pause', node })
  if (isElection(protocol)) {
    const isCalling = waiting.some((span) => span.node === node)
    return [...(isCalling ? [] : [one('Call an election', { does: 'elect', node })]), pause, crash]
  }
  if (inside.some((span) => span.node === node))
    return [one('Release', { does: 'release', node }), pause, crash]
  if (status === 'waiting') return [one('Give up', { does: 'withdraw', node }), pause, crash]
  return [
    one('Request', { does: 'request', node, mode: 'exclusive' }),
    ...(protocol.facts.sharedMode
      ? [one('Request to share', { does: 'request', node, mode: 'shared' })]
      : []),
    pause,
    crash,
  ]
}

function letterOffers({ id, to }: { readonly id: number; readonly to: NodeId }, { nodes }: Moment): Offer[] {
  const { status } = get(nodes, to)
  const canReceive = status === 'idle' || status === 'waiting' || status === 'inside'
  return [
    ...(canReceive ? [{ label: 'Deliver now', acts: [{ does: 'deliver', id, to }] as const }] : []),
    delayOffer(id, to, DELAYS.indexOf(5)),
    { label: 'Drop', acts: [{ does: 'drop', id, to }] },
    { label: 'Duplicate', acts: [{ does: 'duplicate', id, to }] },
  ]
}

/** In units of time. */
const DELAYS = [1, 2, 5, 10, 20, 50, 100, 200, 500]

function delayOffer(id: number, to: NodeId, index: number): Offer {
  const by = get(DELAYS, index)
  return {
    label: `Delay by ${by}`,
    acts: [{ does: 'delay', id, to, by }],
    measure: {
      get less() {
        return index === 0 ? null : delayOffer(id, to, index - 1)
      },
      get more() {
        return index === DELAYS.length - 1 ? null : delayOffer(id, to, index + 1)
      },
    },
  }
}

function linkOffers([a, b]: readonly [NodeId, NodeId], { cuts }: Moment): Offer[] {
  const isCut = (from: NodeId, to: NodeId) => cuts.some((cut) => cut.from === from && cut.to === to)
  const ways: [NodeId, NodeId][] = [
    [a, b],
    [b, a],
  ]
  const whole = ways.filter(([from, to]) => !isCut(from, to))
  const broken = ways.filter(([from, to]) => isCut(from, to))
  return [
    ...(whole.length === 2
      ? [{ label: 'Cut both ways', acts: whole.map(([from, to]): Act => ({ does: 'cut', from, to })) }]
      : []),
    ...whole.map(
      ([from, to]): Offer => ({ label: `Cut from ${from} to ${to}`, acts: [{ does: 'cut', from, to }] }),
    ),
    ...(broken.length === 0
      ? []
      : [{ label: 'Heal', acts: broken.map(([from, to]): Act => ({ does: 'heal', from, to })) }]),
  ]
}

/** The name of the target, for a heading and for screen readers. */
export function targetText(target: Target, letters: readonly Letter[]): string {
  switch (target.is) {
    case 'node':
      return `Node ${target.node}`
    case 'link':
      return `Channel ${target.ends[0]}–${target.ends[1]}`
    case 'letter': {
      const letter = letters.find(({ id, to }) => id === target.id && to === target.to)
      return letter === undefined ? 'Message' : `${letter.message.type} ${letter.from} → ${letter.to}`
    }
  }
}

/** An act in few words, for the name of a branch; `letters` are those under way, if they are known. */
export function actText(act: Act, letters: readonly Letter[] = []): string {
  const what = (id: number, to: NodeId) => {
    const letter = letters.find((other) => other.id === id && other.to === to)
    return letter === undefined ? `message ${id} to ${to}` : `${letter.message.type} ${letter.from} to ${to}`
  }
  if (isOwnAct(act)) return ownText(act, (id) => `message ${id}`)
  switch (act.does) {
    case 'restart':
      return `${act.node} restarts ${act.memory ? 'with' : 'without'} memory`
    case 'request':
      return `${act.node} asks${act.mode === 'shared' ? ' to share' : ''}`
    case 'deliver':
    case 'drop':
    case 'duplicate':
      return `${act.does} ${what(act.id, act.to)}`
    case 'delay':
      return `delay ${what(act.id, act.to)} by ${act.by}`
    case 'cut':
    case 'heal':
      return `${act.does} ${act.from}→${act.to}`
    default:
      return `${act.does} ${act.node}`
  }
}

/** What a node does by itself: "2 sees its timer T run out". */
export function ownText(act: OwnAct, message: (id: number) => string): string {
  switch (act.does) {
    case 'timeout':
      return `${act.node} sees its timer ${act.timer} run out`
    case 'proceed':
      return `${act.node} proceeds with ${act.step}`
    case 'suspect':
      return `${act.node} suspects ${act.peer}`
    case 'restore':
      return `${act.node} trusts ${act.peer} again`
    case 'linked':
      return `${act.node} has a channel to ${act.peer} now`
    case 'unlinked':
      return `${act.node} has no channel to ${act.peer} any more`
    case 'notice':
      return `${act.node} hears that ${message(act.message)} was not delivered`
  }
}

/**
 * The rules of the bully algorithm (Garcia-Molina 1982; RE1, RH1 and RH2 of Kessler 2024), for two algorithms that need
 * a coordinator: `bully`, and `central-coordinator-election`, whose coordinator keeps a queue. `elected` reports the
 * result; each algorithm decides what it means.
 */
import type { Here, NodeId } from '@turnwise/core/algorithm'
import type { OptionSpecs } from '@turnwise/core/options'
import type { Shape } from '@turnwise/core/shape'

export type BullyMessage =
  | { readonly type: 'election' }
  | { readonly type: 'answer' }
  /** The sender is coordinator. */
  | { readonly type: 'coordinator' }

export interface Candidate {
  /** ELECTION-OFF, or ELECTION-ON and what it waits for. */
  election: 'off' | 'awaits answer' | 'awaits coordinator'
  coordinator: NodeId | null
  /** The processes that the failure detector has named. */
  down: NodeId[]
}

export interface BullyOptions {
  answer: number
  announcement: number
}

export const BULLY_OPTIONS: OptionSpecs<BullyOptions> = {
  answer: {
    kind: 'integer',
    default: 50,
    min: 1,
    about: 'units of time after which no answer will come; more than two message delays',
  },
  announcement: {
    kind: 'integer',
    default: 150,
    min: 1,
    about:
      'units of time after which a higher process that answered must have died; more than answer and two delays',
  },
}

export const BULLY_SHAPES = {
  state: { election: 'data', coordinator: 'node', down: { list: 'node' } },
  messages: { election: {}, answer: {}, coordinator: {} },
} as const satisfies {
  state: Record<keyof Candidate, Shape>
  messages: Record<BullyMessage['type'], Record<string, Shape>>
}

/** Where the rules act: the algorithm's own `here`, or a wrapper that acts on the result. */
export type Poll = Pick<
  Here<BullyMessage, BullyOptions>,
  'self' | 'setup' | 'send' | 'setTimer' | 'cancelTimer' | 'elected'
>

/** RE1: asks all higher processes. The highest has no process to ask. */
export function start(node: Candidate, here: Poll): void {
  node.coordinator = null
  if (here.self === here.setup.nodes - 1) win(node, here)
  else ask(node, here)
}

export function ask(node: Candidate, here: Poll): void {
  const { nodes, options } = here.setup
  node.election = 'awaits answer'
  for (let higher = here.self + 1; higher < nodes; higher += 1) here.send(higher, { type: 'election' })
  here.setTimer('answer', options.answer)
}

/** All above are silent. */
export function win(node: Candidate, here: Poll): void {
  endElection(node, here)
  node.coordinator = here.self
  here.elected(here.self)
  for (let lower = 0; lower < here.self; lower += 1) here.send(lower, { type: 'coordinator' })
}

/** Replaces a coordinator that the failure detector names. */
export function suspect(node: Candidate, here: Poll, peer: NodeId): void {
  node.down = [...node.down, peer].toSorted((a, b) => a - b)
  if (node.coordinator !== peer) return
  node.coordinator = null
  if (node.election === 'off') start(node, here)
}

export function timeout(node: Candidate, here: Poll, timer: string): void {
  if (timer === 'answer') win(node, here)
  else start(node, here)
}

export const bullyReceive = {
  election(node: Candidate, here: Poll, from: NodeId): void {
    if (node.coordinator === here.self) return here.send(from, { type: 'coordinator' })
    here.send(from, { type: 'answer' })
    if (node.election === 'off') start(node, here)
  },

  answer(node: Candidate, here: Poll): void {
    if (node.election !== 'awaits answer') return
    node.election = 'awaits coordinator'
    here.cancelTimer('answer')
    here.setTimer('announcement', here.setup.options.announcement)
  },

  coordinator(node: Candidate, here: Poll, from: NodeId): void {
    if (from < here.self || node.down.includes(from)) {
      if (node.election === 'off') start(node, here)
      return
    }
    endElection(node, here)
    node.coordinator = from
    here.elected(from)
  },
}

function endElection(node: Candidate, here: Poll): void {
  node.election = 'off'
  here.cancelTimer('answer')
  here.cancelTimer('announcement')
}

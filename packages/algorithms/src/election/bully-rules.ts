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
    title: 'Wait for an answer',
    about: 'units of time after which no answer will come; more than two message delays',
  },
  announcement: {
    kind: 'integer',
    default: 150,
    min: 1,
    title: 'Wait for the announcement',
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
  'self' | 'setup' | 'send' | 'setTimer' | 'cancelTimer' | 'elected' | 'because'
>

/** RE1: asks all higher processes. The highest has no process to ask. */
export function start(node: Candidate, here: Poll): void {
  node.coordinator = null
  if (here.self < here.setup.nodes - 1) return ask(node, here)
  here.because?.('node {self} has the highest number, and nobody to ask')
  win(node, here)
}

export function ask(node: Candidate, here: Poll): void {
  const { nodes, options } = here.setup
  node.election = 'awaits answer'
  const higher = Array.from({ length: nodes - 1 - here.self }, (_, step) => here.self + 1 + step)
  if (higher.length === 0)
    here.because?.('node {self} is the highest, but waits until all have seen that it is back')
  else here.because?.('node {self} may win only if nobody above it is alive: it asks {higher}', { higher })
  for (const other of higher) here.send(other, { type: 'election' })
  here.setTimer('answer', options.answer)
}

/** All above are silent. */
export function win(node: Candidate, here: Poll): void {
  endElection(node, here)
  node.coordinator = here.self
  if (here.self === 0) here.because?.('node {self} is coordinator, and nobody is below it')
  else here.because?.('node {self} is the highest one alive, and announces itself to all below')
  here.elected(here.self)
  for (let lower = 0; lower < here.self; lower += 1) here.send(lower, { type: 'coordinator' })
}

/** Replaces a coordinator that the failure detector names. */
export function suspect(node: Candidate, here: Poll, peer: NodeId): void {
  node.down = [...node.down, peer].toSorted((a, b) => a - b)
  if (node.coordinator !== peer)
    return here.because?.('node {peer} is not the coordinator of node {self}, so nobody has to replace it', {
      peer,
    })
  here.because?.('the coordinator, node {peer}, has failed', { peer })
  node.coordinator = null
  if (node.election === 'off') start(node, here)
}

export function timeout(node: Candidate, here: Poll, timer: string): void {
  if (timer === 'answer') {
    here.because?.('no answer has come to node {self} in {answer} units of time', {
      answer: here.setup.options.answer,
    })
    win(node, here)
  } else {
    here.because?.('a higher node answered node {self}, but died before it announced itself')
    start(node, here)
  }
}

export const bullyReceive = {
  election(node: Candidate, here: Poll, from: NodeId): void {
    if (node.coordinator === here.self) {
      here.because?.('node {self} is coordinator already, which node {from} does not know', { from })
      return here.send(from, { type: 'coordinator' })
    }
    here.because?.('node {self} is alive, and above node {from}, which cannot win', { from })
    here.send(from, { type: 'answer' })
    if (node.election === 'off') start(node, here)
  },

  answer(node: Candidate, here: Poll): void {
    if (node.election !== 'awaits answer') return
    here.because?.('a higher node is alive, so node {self} waits for an announcement')
    node.election = 'awaits coordinator'
    here.cancelTimer('answer')
    here.setTimer('announcement', here.setup.options.announcement)
  },

  coordinator(node: Candidate, here: Poll, from: NodeId): void {
    if (from < here.self || node.down.includes(from)) {
      if (from < here.self)
        here.because?.('node {from} is below node {self}, which is alive, so it cannot be coordinator', {
          from,
        })
      else here.because?.('node {from} announced itself, but has failed since', { from })
      if (node.election === 'off') start(node, here)
      return
    }
    here.because?.('node {from} is above node {self}, and nobody above it has answered', { from })
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

/**
 * How sequence numbers grow where they need not grow by one: Ricart and Agrawala 1981, section 6.5.
 *
 * Chance: the tie-break favours nodes with small numbers. A random addend makes ties rare.
 *
 * Priority: a request that adds less comes first. Nodes may have steps of their own, and ordinary requests may add more
 * than urgent ones. Every request still waits a bounded time, since numbers grow past any number that was heard.
 *
 * Delay: a node with a small step that reads a large number must choose a larger one, so its privilege ends with the
 * first request that it reads. While it wants to enter or is inside, it may therefore leave requests of nodes with
 * larger steps unread, until its own numbers reach the unread one. The paper sets no bound on the delay. Here it is a
 * time, so that the others need not wait for the node to ask again.
 */
import type { Ask, Here, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { OptionSpecs } from '@turnwise/core/options'

export interface NumberingOptions {
  increment: number
  steps: readonly number[]
  priority: number
  delay: number
}

/**
 * Numbers become fences, and a mesh begins another view when a fence overflows. With the largest steps that takes some
 * hundred requests.
 */
const LARGEST = 10_000

export const NUMBERING: OptionSpecs<NumberingOptions> = {
  increment: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: LARGEST,
    title: 'Largest random increment',
    about: 'a random number from 0 to this is added to every sequence number, against the bias of ties',
  },
  steps: {
    kind: 'list',
    default: [1],
    min: 1,
    max: LARGEST,
    title: 'Steps of the numbers',
    about:
      'by how much the numbers of node 0, 1, … grow, the last for all further ones; smaller has priority',
  },
  priority: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: LARGEST,
    ranks: true,
    title: 'Room for priorities',
    about: 'an ordinary request adds this to its number, one of priority p adds p less',
  },
  delay: {
    kind: 'integer',
    default: 0,
    min: 0,
    setsTimer: true,
    title: 'Longest time unread',
    about: 'units of time for which a busy node may leave requests of nodes with larger steps unread',
  },
}

type Numbering = Pick<Here<never, NumberingOptions>, 'self' | 'setup' | 'random'>

export function nextNumber(highest: number, here: Numbering, { priority }: Ask): number {
  const { options } = here.setup
  const byChance = options.increment === 0 ? 0 : here.random(options.increment + 1)
  // No request is less urgent than an ordinary one. Otherwise one request could use up all numbers.
  const byPriority = Math.max(0, options.priority - Math.max(0, priority))
  return highest + stepOf(here.self, options) + byChance + byPriority
}

/** Whether a node that wants to enter may leave a request unread for a while. */
export function mayWait(from: NodeId, { self, setup: { options } }: Omit<Numbering, 'random'>): boolean {
  return options.delay > 0 && stepOf(self, options) < stepOf(from, options)
}

function stepOf(node: NodeId, { steps }: NumberingOptions): number {
  return get(steps, Math.min(node, steps.length - 1))
}

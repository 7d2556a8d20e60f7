/**
 * How sequence numbers grow where they need not grow by one: Ricart and Agrawala 1981, section 6.5.
 *
 * Chance: the tie-break favours nodes with small numbers. A random addend makes ties rare, and who wins then is
 * chance too.
 *
 * Priority: whoever adds less comes first. Nodes may have steps of their own, and ordinary requests may add more than
 * urgent ones. Everyone still waits a bounded time, since numbers only grow, and past any number that was heard.
 *
 * Delay: a node with a small step hears a large number, and its own next one is larger still: its privilege ends with
 * the first request that it reads. So while it wants to enter or is inside it may leave requests of nodes with larger
 * steps unread, and go on with its own small numbers until they reach the one it has not read. The paper sets no
 * bound on the delay; here it is a time, so that nobody depends on it that the node asks again.
 */
import type { Ask, Here, NodeId } from '@turnwise/core/algorithm'
import type { OptionSpecs } from '@turnwise/core/options'

export interface NumberingOptions {
  increment: number
  steps: readonly number[]
  priority: number
  delay: number
}

/** Numbers become fences, and a mesh begins another view when a fence has no room for more: with the largest after some hundred steps. */
const LARGEST = 10_000

export const NUMBERING: OptionSpecs<NumberingOptions> = {
  increment: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: LARGEST,
    about: 'a random number from 0 to this is added to every sequence number, against the bias of ties',
  },
  steps: {
    kind: 'list',
    default: [1],
    min: 1,
    max: LARGEST,
    about:
      'by how much the numbers of node 0, 1, … grow, the last for all further ones; smaller has priority',
  },
  priority: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: LARGEST,
    ranks: true,
    about: 'an ordinary request adds this to its number, one of priority p adds p less',
  },
  delay: {
    kind: 'integer',
    default: 0,
    min: 0,
    setsTimer: true,
    about: 'units of time for which a busy node may leave requests of nodes with larger steps unread',
  },
}

type Numbering = Pick<Here<never, NumberingOptions>, 'self' | 'setup' | 'random'>

export function nextNumber(highest: number, here: Numbering, { priority }: Ask): number {
  const { options } = here.setup
  const byChance = options.increment === 0 ? 0 : here.random(options.increment + 1)
  // Less urgent than an ordinary one there is none: or a caller could use up all numbers with one request.
  const byPriority = Math.max(0, options.priority - Math.max(0, priority))
  return highest + stepOf(here.self, options) + byChance + byPriority
}

/** Whether a node that wants to enter may leave a request unread for a while. */
export function mayWait(from: NodeId, { self, setup: { options } }: Omit<Numbering, 'random'>): boolean {
  return options.delay > 0 && stepOf(self, options) < stepOf(from, options)
}

function stepOf(node: NodeId, { steps }: NumberingOptions): number {
  return steps[Math.min(node, steps.length - 1)]
}

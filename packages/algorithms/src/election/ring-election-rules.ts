/**
 * The rules of Chang and Roberts 1979 (the ring-based algorithm of Kessler 2024): what a process does with a number
 * that goes round. Two algorithms use them: `ring-election`, and `token-ring-election`, whose winner replaces a lost
 * token. Each decides how to close the ring around the dead, and what the winner does.
 */
import type { NodeId } from '@turnwise/core/algorithm'

export interface Contender {
  /** The highest number it has sent round in this election; null while it takes no part. */
  best: NodeId | null
}

/** A process in its ring, as the rules need it. */
export interface Circle {
  readonly self: NodeId
  readonly next: NodeId
  readonly down: readonly NodeId[]
  /** Sends a number to the successor. */
  pass(id: NodeId): void
  /** Its own number is back: no process is higher. */
  home(): void
}

/** Sends a number round. A process that is alone has it back at once. */
export function propose(node: Contender, circle: Circle, id: NodeId): void {
  node.best = Math.max(id, node.best !== null && !circle.down.includes(node.best) ? node.best : id)
  if (circle.next === circle.self) circle.home()
  else circle.pass(id)
}

/**
 * A number arrives. The number of a dead process is dropped, or it would go round for ever. A number below its own is
 * replaced, once.
 */
export function weigh(node: Contender, circle: Circle, id: NodeId): void {
  if (circle.down.includes(id)) return
  if (id === circle.self) circle.home()
  else if (id > circle.self) propose(node, circle, id)
  else if (node.best === null) propose(node, circle, circle.self)
}

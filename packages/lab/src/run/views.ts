import type { NodeId } from '@turnwise/core/algorithm'
import type { Happening } from '@turnwise/core/trace/happening'
import { epochBegun } from '@turnwise/core/trace/trace'

/**
 * The newest view of a mesh at a moment of its record. A view starts every lock anew, and its members begin it one after
 * another: until all have, what holds for the view as a whole cannot be told.
 */
export interface ViewMoment {
  /** The position from which it is so. */
  readonly from: number
  readonly epoch: number
  /** In the order in which the algorithm numbers them. */
  readonly members: readonly NodeId[]
  /** The members that have begun it and whose record goes on, each with the position at which it began. */
  readonly begun: ReadonlyMap<NodeId, number>
  /** The members whose record has ended before that of the others. */
  readonly unseen: readonly NodeId[]
}

/** Follows the views, happening by happening. */
export class ViewBook {
  readonly moments: ViewMoment[] = []
  #unseen: readonly NodeId[] = []

  enter({ cause }: Happening, position: number): void {
    if (!('node' in cause)) return
    const { node } = cause
    const last = this.moments.at(-1)
    const epoch = epochBegun(cause)
    if (epoch !== null && cause.view !== undefined) {
      if (epoch < (last?.epoch ?? 0)) return
      const isNew = epoch !== last?.epoch
      const begun = new Map(isNew ? [] : last.begun).set(node, position)
      this.#add(position, { epoch, members: isNew ? cause.view : last.members, begun })
    } else if (cause.is === 'join' || cause.is === 'unseen' || cause.is === 'gone' || cause.state === null) {
      const others = this.#unseen.filter((other) => other !== node)
      this.#unseen = cause.is === 'unseen' ? [...others, node] : others
      if (last === undefined) return
      const begun = new Map(last.begun)
      begun.delete(node)
      this.#add(position, { ...last, begun })
    }
  }

  #add(from: number, { epoch, members, begun }: Omit<ViewMoment, 'from' | 'unseen'>): void {
    this.moments.push({ from, epoch, members, begun, unseen: this.#unseen })
  }
}

import type { NodeId } from '@turnwise/core/algorithm'

/**
 * Which timers run. A pending event cannot be taken out of the queue, so each start has a number of its own,
 * and an event whose number is no longer that of the running timer has been cancelled.
 */
export class Timers {
  readonly #running = new Map<NodeId, Map<string, number>>()
  #started = 0

  start(node: NodeId, timer: string): number {
    this.#started += 1
    const timers = this.#running.get(node) ?? new Map<string, number>()
    timers.set(timer, this.#started)
    this.#running.set(node, timers)
    return this.#started
  }

  /** True if it was running. */
  cancel(node: NodeId, timer: string): boolean {
    return this.#running.get(node)?.delete(timer) ?? false
  }

  /** How many are running. */
  count(node: NodeId): number {
    return this.#running.get(node)?.size ?? 0
  }

  /** How many were running. */
  cancelAll(node: NodeId): number {
    const count = this.count(node)
    this.#running.delete(node)
    return count
  }

  /** Whether this very start is still running. */
  isRunning(node: NodeId, timer: string, id: number): boolean {
    return this.#running.get(node)?.get(timer) === id
  }

  /** True if this very start is due; it no longer runs then. */
  expire(node: NodeId, timer: string, id: number): boolean {
    const timers = this.#running.get(node)
    return timers?.get(timer) === id && timers.delete(timer)
  }
}

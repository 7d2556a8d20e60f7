import type { NodeId } from '@turnwise/core/algorithm'

/** What nodes of a stage have before them by themselves: running timers, and steps to proceed with. */
export class Agenda {
  readonly #timers = new Map<NodeId, Set<string>>()
  readonly #steps = new Map<NodeId, string[]>()

  setTimer(node: NodeId, timer: string): void {
    this.#timers.set(node, (this.#timers.get(node) ?? new Set()).add(timer))
  }

  /** Whether it ran. */
  endTimer(node: NodeId, timer: string): boolean {
    return this.#timers.get(node)?.delete(timer) ?? false
  }

  addStep(node: NodeId, step: string): void {
    this.#steps.set(node, [...(this.#steps.get(node) ?? []), step])
  }

  /** The next one. */
  takeStep(node: NodeId): string | undefined {
    return this.#steps.get(node)?.shift()
  }

  isBusy(node: NodeId): boolean {
    return (this.#timers.get(node)?.size ?? 0) + (this.#steps.get(node)?.length ?? 0) > 0
  }

  /** A crash ends them. */
  clear(node: NodeId): void {
    this.#timers.delete(node)
    this.#steps.delete(node)
  }
}

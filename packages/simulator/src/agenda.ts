import type { NodeId } from '@turnwise/core/algorithm'

/** A timer that runs. */
export interface RunningTimer {
  readonly node: NodeId
  readonly timer: string
  /** For how many units of time it was started. */
  readonly delay: number
  /** The step in which it was started, or started anew. */
  readonly since: number
}

/** What nodes of a stage have before them by themselves: running timers, and steps to proceed with. */
export class Agenda {
  readonly #timers = new Map<NodeId, Map<string, RunningTimer>>()
  readonly #steps = new Map<NodeId, string[]>()

  setTimer(node: NodeId, timer: string, delay: number, since: number): void {
    const ofNode = this.#timers.get(node) ?? new Map<string, RunningTimer>()
    this.#timers.set(node, ofNode.set(timer, { node, timer, delay, since }))
  }

  /** All timers that run, by node. */
  running(): RunningTimer[] {
    return [...this.#timers.values()]
      .flatMap((ofNode) => [...ofNode.values()])
      .toSorted((a, b) => a.node - b.node)
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

  hasStep(node: NodeId): boolean {
    return (this.#steps.get(node)?.length ?? 0) > 0
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

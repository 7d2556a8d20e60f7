import type { Ask, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type Random, sample } from '@turnwise/core/random'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { drawTicks, type Law } from './latency.ts'
import type { Load } from './load.ts'

/** What a workload may do to the run. Requests beyond the wanted number of entries are not issued. */
export interface Driver {
  readonly now: number
  readonly nodes: number
  /** The wanted number of requests. */
  readonly entries: number
  readonly random: Random
  isAlive(node: NodeId): boolean
  /** Without an ask, the run's share of readers decides whether it is to share. */
  ask(at: number, node: NodeId, ask?: Ask): void
  withdraw(at: number, node: NodeId): void
}

/** Decides who asks when. Each event is optional. */
export interface Workload {
  start?(): void
  /** A request of this node was issued. */
  asked?(node: NodeId): void
  /** A request came to a crashed node and was not issued. */
  skipped?(node: NodeId): void
  /** A request of this node has ended: it left, withdrew or crashed. */
  ended?(node: NodeId): void
  /** A crashed node runs again. */
  restarted?(node: NodeId): void
  /** Nothing is under way any more and nobody is inside. */
  silent?(): void
}

/** How long a light load waits after an exit where the network never falls silent. */
const REST = 10 * TICKS_PER_UNIT

export function workloadOf(load: Load, driver: Driver, fallsSilent: boolean): Workload {
  switch (load.kind) {
    case 'light':
      return oneAtATime(driver, fallsSilent, null)
    case 'hot':
      return oneAtATime(driver, fallsSilent, load.weights)
    case 'heavy':
      return heavy(driver)
    case 'poisson':
      return poisson(driver, load.rate)
    case 'closed':
      return closed(driver, load.think)
    case 'script':
      return {
        start() {
          for (const { at, does, node, ask } of load.lines) {
            const tick = Math.round(at * TICKS_PER_UNIT)
            if (does === 'request') driver.ask(tick, node, ask)
            else driver.withdraw(tick, node)
          }
        },
      }
  }
}

/**
 * One request outstanding in the whole system. Other exits occur too: of nodes inside when the world began, or back
 * after a crash.
 */
function oneAtATime(driver: Driver, fallsSilent: boolean, weights: readonly number[] | null): Workload {
  let outstanding: NodeId | null = null
  let scheduled = false
  const next = (at: number) => {
    if (outstanding !== null || scheduled) return
    const node = drawLiving(driver, weights)
    if (node === null) return
    scheduled = true
    driver.ask(at, node)
  }
  return {
    start: () => next(0),
    asked(node) {
      outstanding = node
      scheduled = false
    },
    skipped() {
      scheduled = false
      if (!fallsSilent) next(driver.now)
    },
    ended(node) {
      if (node === outstanding) outstanding = null
      if (!fallsSilent) next(driver.now + REST)
    },
    restarted() {
      // If all nodes that may ask were down, no later silence would draw again.
      if (!fallsSilent) next(driver.now)
    },
    silent: () => next(driver.now),
  }
}

/** Draws until a living node comes up, all equally likely unless there are weights; null when none can. */
function drawLiving(driver: Driver, weights: readonly number[] | null): NodeId | null {
  for (let tries = 0; tries < 100; tries += 1) {
    const node = weights === null ? driver.random.below(driver.nodes) : drawByWeight(driver.random, weights)
    if (driver.isAlive(node)) return node
  }
  // Hardly anyone is left: draw among those.
  const left = Array.from({ length: driver.nodes }, (_, node) =>
    driver.isAlive(node) ? (weights?.[node] ?? 1) : 0,
  )
  return left.every((weight) => weight === 0) ? null : drawByWeight(driver.random, left)
}

function drawByWeight(random: Random, weights: readonly number[]): NodeId {
  let left = random.fraction() * weights.reduce((sum, weight) => sum + weight, 0)
  for (let node = 0; node < weights.length; node += 1) {
    left -= get(weights, node)
    if (left < 0) return node
  }
  // Only rounding gets here: the last node that can be drawn.
  return weights.findLastIndex((weight) => weight > 0)
}

/** All ask at once, and again as soon as they have left. With fewer entries than nodes, so many nodes are drawn. */
function heavy(driver: Driver): Workload {
  const again = (node: NodeId) => driver.ask(driver.now, node)
  return {
    start() {
      for (const node of sample(driver.random, Math.min(driver.entries, driver.nodes), driver.nodes))
        again(node)
    },
    ended: again,
    restarted: again,
  }
}

/** Each node thinks, asks, enters, leaves and thinks again; it has one caller, crashes or not. */
function closed(driver: Driver, law: Law): Workload {
  const thinking = new Set<NodeId>()
  const think = (node: NodeId) => {
    if (thinking.has(node)) return
    thinking.add(node)
    driver.ask(driver.now + drawTicks(law, driver.random), node)
  }
  const thought = (node: NodeId) => void thinking.delete(node)
  return {
    start() {
      for (let node = 0; node < driver.nodes; node += 1) think(node)
    },
    asked: thought,
    skipped: thought,
    ended: think,
    restarted: think,
  }
}

/** Arrivals do not wait for each other; a node that is busy queues them. */
function poisson(driver: Driver, rate: number): Workload {
  const gap = { kind: 'exponential', mean: 1 / rate } as const
  let due = false
  const next = () => {
    const node = drawLiving(driver, null)
    due = node !== null
    if (node !== null) driver.ask(driver.now + drawTicks(gap, driver.random), node)
  }
  const restarted = () => {
    if (!due) next()
  }
  return { start: next, asked: next, skipped: next, restarted }
}

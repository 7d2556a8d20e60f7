import { isElection, type NodeId } from '@turnwise/core/algorithm'
import { dissentAmong } from '@turnwise/core/judges/election-judge'
import { type Crowd, firstCrowd, type Stay } from '@turnwise/core/modes'
import { isAsked, type PropertyName } from './property.ts'
import { CRASHED, INSIDE, SHARED, UPDATE, WAITING } from './world-layout.ts'
import type { Worlds } from './worlds.ts'

/** The flaw of a world. */
export interface Finding {
  readonly property: PropertyName
  readonly reason: string
}

/** Looks at each world once. */
export interface WorldJudge {
  /** Some world had two waiting at once. */
  readonly competed: boolean
  /** How many were inside together, at most. */
  readonly mostInside: number
  world(world: Int32Array, size: number): Finding | null
  /** A world in which nothing can happen any more but requests and trouble. */
  standstill(world: Int32Array): Finding | null
}

export function judgeOf(worlds: Worlds): WorldJudge {
  return isElection(worlds.instance.algorithm) ? new ElectionJudge(worlds) : new ExclusionJudge(worlds)
}

/** Which nodes are inside together, how many tokens there are, which nodes wait in vain. */
class ExclusionJudge implements WorldJudge {
  competed = false
  mostInside = 0
  readonly #worlds: Worlds

  constructor(worlds: Worlds) {
    this.#worlds = worlds
  }

  world(world: Int32Array, size: number): Finding | null {
    const { layout, instance } = this.#worlds
    const { nodes, entries } = instance.setup
    let inside = 0
    let alone = 0
    let updating = 0
    let waiting = 0
    for (let node = 0; node < nodes; node += 1) {
      const flags = layout.flagsOf(world, node)
      if ((flags & INSIDE) !== 0) {
        inside += 1
        if ((flags & UPDATE) !== 0) updating += 1
        else if ((flags & SHARED) === 0) alone += 1
      }
      if ((flags & WAITING) !== 0) waiting += 1
    }
    if (waiting > 1) this.competed = true
    if (inside > this.mostInside) this.mostInside = inside
    if (!isAsked(instance, 'exclusion')) return this.#surplus(world, size)
    if (instance.sets !== undefined) {
      const crowd = inside > 1 ? firstCrowd(this.#stays(world), entries) : null
      if (crowd !== null) return tellCrowd(crowd)
      return this.#surplus(world, size)
    }
    // Any number may share, beside one that may update, and none beside one that wants to be alone.
    if (inside > entries && alone + Math.max(0, updating - 1) > 0) {
      const together = nodesWith(this.#worlds, world, INSIDE).join(', ')
      return { property: 'exclusion', reason: `nodes ${together} are inside together` }
    }
    return this.#surplus(world, size)
  }

  /** More tokens than there are places, of one resource or the other. */
  #surplus(world: Int32Array, size: number): Finding | null {
    const { layout, instance } = this.#worlds
    const { entries, resources } = instance.setup
    for (let resource = 0; resource < resources; resource += 1) {
      const tokens = layout.tokensIn(world, size, resource)
      if (tokens <= entries) continue
      const whose = resources === 1 ? '' : ` of resource ${resource}`
      return { property: 'one-token', reason: `there are ${tokens} tokens${whose}` }
    }
    return null
  }

  #stays(world: Int32Array): Stay[] {
    return nodesWith(this.#worlds, world, INSIDE).map((node) => {
      const { mode, resources } = this.#worlds.layout.localOf(world, node)
      return { node, mode: mode ?? 'exclusive', resources: resources ?? undefined }
    })
  }

  standstill(world: Int32Array): Finding | null {
    return deadlock(this.#worlds, world, 'new requests')
  }
}

function tellCrowd({ resource, stays }: Crowd): Finding {
  const nodes = stays.map(({ node }) => node).join(', ')
  return { property: 'exclusion', reason: `nodes ${nodes} are inside together with resource ${resource}` }
}

/** Which nodes take themselves for the coordinator, and at rest, which coordinator the living nodes name. */
class ElectionJudge implements WorldJudge {
  competed = false
  mostInside = 0
  readonly #worlds: Worlds

  constructor(worlds: Worlds) {
    this.#worlds = worlds
  }

  world(world: Int32Array): Finding | null {
    const { layout, instance } = this.#worlds
    const coordinators: NodeId[] = []
    let waiting = 0
    for (let node = 0; node < instance.setup.nodes; node += 1) {
      const flags = layout.flagsOf(world, node)
      if ((flags & WAITING) !== 0) waiting += 1
      if ((flags & CRASHED) === 0 && layout.localOf(world, node).coordinator === node) coordinators.push(node)
    }
    if (waiting > 1) this.competed = true
    if (coordinators.length < 2) return null
    const reason = `nodes ${coordinators.join(', ')} each take themselves for the coordinator`
    return { property: 'one-coordinator', reason }
  }

  standstill(world: Int32Array): Finding | null {
    const waits = deadlock(this.#worlds, world, 'new elections')
    if (waits !== null) return waits
    const { layout, instance } = this.#worlds
    const crashed = nodesWith(this.#worlds, world, CRASHED)
    const nodes = Array.from({ length: instance.setup.nodes }, (_, node) => node)
    const living = nodes.filter((node) => !crashed.includes(node))
    const dissent = dissentAmong(living, (node) => layout.localOf(world, node).coordinator)
    return dissent === null ? null : { property: dissent.about, reason: dissent.text }
  }
}

/** Nothing can happen by itself any more: then no node may be waiting. */
function deadlock(worlds: Worlds, world: Int32Array, others: string): Finding | null {
  const waiting = nodesWith(worlds, world, WAITING)
  if (waiting.length === 0) return null
  const who = waiting.length === 1 ? `node ${waiting[0]} waits` : `nodes ${waiting.join(', ')} wait`
  return { property: 'no-deadlock', reason: `${who}, and nothing can happen but ${others}` }
}

function nodesWith({ layout, instance }: Worlds, world: Int32Array, flag: number): NodeId[] {
  const nodes = Array.from({ length: instance.setup.nodes }, (_, node) => node)
  return nodes.filter((node) => (layout.flagsOf(world, node) & flag) !== 0)
}

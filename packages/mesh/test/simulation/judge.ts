/**
 * What is asked of every run, at every event. Which holds go together and which fences rise is the rule of every judge (`firstCrowd`,
 * `FenceJudge`). But a `HoldJudge` hears when a hold ends, and here a hold ends unheard when its node's own clock reaches the
 * deadline. So holds are read from the states of the nodes.
 */
import { get } from '@turnwise/core/bounds'
import { FenceJudge } from '@turnwise/core/judges/fence-judge'
import { firstCrowd, type Stay } from '@turnwise/core/modes'
import { type Fence, fenceNumber } from '../../src/protocol/fence.ts'
import { isGroup, permitsOf } from '../../src/protocol/names.ts'
import { type Durable, isMajority } from '../../src/protocol/record.ts'
import type { Hold, Node } from '../../src/protocol/state.ts'

export interface Violation {
  readonly judge: 'exclusion' | 'fence' | 'impossible' | 'progress'
  readonly at: number
  readonly text: string
}

/** A process that runs, with its own clock at this moment. */
export interface Running {
  readonly node: Node
  readonly clock: number
}

/** (E): never two that exclude each other validly hold a name, each by its own clock. */
export function exclusion(running: readonly Running[], names: readonly string[]): string | null {
  for (const name of names) {
    const valid: (Stay & Pick<Hold, 'fence'> & { readonly id: string })[] = []
    // Asked at every event: nothing is made where nobody holds.
    for (const { node, clock } of running) {
      if (clock >= node.deadline) continue
      for (const { holds } of node.names.get(name)?.seats ?? [])
        for (const { mode, resources, fence } of holds)
          valid.push({ id: node.id, node: valid.length, mode, resources, fence })
    }
    const crowd = firstCrowd(valid, permitsOf(name))
    if (crowd === null) continue
    const who = crowd.stays.map(({ id, mode, fence }) => `${id} (${mode}, ${write(fence)})`)
    return `${who.join(' and ')} both hold ${isGroup(name) ? `number ${crowd.resource} of ` : ''}${name}`
  }
  return null
}

/** R26: no majority of the last record that any disk holds is left. */
export function isHalted(disks: readonly Durable[]): boolean {
  const epoch = (disk: Durable) => disk.accepted?.epoch ?? 0
  const last = get(
    disks.toSorted((a, b) => epoch(b) - epoch(a)),
    0,
  ).accepted
  const voterIds = disks.map(({ voterId }) => voterId)
  return last !== null && !isMajority(last, voterIds)
}

/** After the faults everybody enters every name, and every wish is settled. `entered` holds ids with names. */
export function unfinished(
  processes: readonly { readonly id: string; readonly node: Node | null }[],
  names: readonly string[],
  entered: ReadonlySet<string>,
): string | null {
  for (const { id, node } of processes) {
    if (node?.wish != null) return `${id} still wishes for ${node.wish.join(' ')}`
    const missed = names.find((name) => !entered.has(`${id} ${name}`))
    if (missed !== undefined) return `${id} never entered ${missed} after the faults`
  }
  return null
}

/**
 * The model: a minority of voters' disks may be lost before the repair (R20) has finished. Of the configured voters one remembers
 * a view, or they would begin the mesh again (R21).
 */
export function mayLose(disks: readonly Durable[], configured: readonly Durable[], lost: Durable): boolean {
  const isLeft = ({ voterId }: Durable) => voterId !== lost.voterId
  const left = disks.filter(isLeft).map(({ voterId }) => voterId)
  const views = disks.flatMap(({ accepted }) => accepted ?? [])
  return (
    views.every((view) => isMajority(view, left)) &&
    (views.length === 0 || configured.some((disk) => isLeft(disk) && disk.accepted !== null))
  )
}

/** (F): an exclusive fence exceeds all before it, a shared one the last exclusive one; of permits a fence only tells apart. */
export class Fences {
  readonly #judges = new Map<string, FenceJudge>()

  /** Who joins it may have its fence. */
  downgraded(name: string): void {
    this.#judges.get(name)?.downgraded()
  }

  granted(
    at: number,
    name: string,
    { mode, fence, resources }: Pick<Hold, 'mode' | 'fence' | 'resources'>,
  ): string | null {
    const judge = this.#judges.get(name) ?? new FenceJudge(permitsOf(name))
    this.#judges.set(name, judge)
    const before = judge.findings.count
    judge.entered(at, 0, mode, fenceNumber(fence), resources)
    return judge.findings.count === before ? null : `${name}: fence ${write(fence)} does not rise`
  }
}

function write({ epoch, counter }: Fence): string {
  return `${epoch}:${counter}`
}

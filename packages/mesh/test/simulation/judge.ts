/** What is asked of every run, at every event. */
import type { Fence } from '../../src/protocol/fence.ts'
import { permitsOf } from '../../src/protocol/names.ts'
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
    const valid = running.flatMap(({ node, clock }) => {
      const seats = clock < node.deadline ? (node.names.get(name)?.seats ?? []) : []
      return seats.flatMap(({ holds }) => holds).map((hold) => ({ id: node.id, hold }))
    })
    const alone = valid.find(({ hold }) => hold.mode === 'exclusive')
    if (valid.length > permitsOf(name) && alone !== undefined) {
      const who = valid.map(({ id, hold }) => `${id} (${hold.mode}, ${write(hold.fence)})`)
      return `${who.join(' and ')} both hold ${name}`
    }
  }
  return null
}

/** R26: no majority of the last record that any disk holds is left. */
export function isHalted(disks: readonly Durable[]): boolean {
  const epoch = (disk: Durable) => disk.accepted?.epoch ?? 0
  const last = disks.toSorted((a, b) => epoch(b) - epoch(a))[0].accepted
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

/** The model: a minority of voters' disks may be lost before the repair (R20) has finished. */
export function mayLose(disks: readonly Durable[], lost: Durable): boolean {
  const left = disks.map(({ voterId }) => voterId).filter((voterId) => voterId !== lost.voterId)
  return disks.every(({ accepted }) => accepted === null || isMajority(accepted, left))
}

/** (F): an exclusive fence exceeds all before it, a shared one is not below the last exclusive one. */
export class Fences {
  readonly #largest = new Map<string, { any: Fence; alone: Fence }>()
  readonly #given = new Set<string>()

  /** Of permits a fence only tells apart. */
  #isNew(name: string, fence: Fence): string | null {
    const given = `${name} ${write(fence)}`
    if (this.#given.has(given)) return `${name} is granted twice with fence ${write(fence)}`
    this.#given.add(given)
    return null
  }

  granted(name: string, { mode, fence }: Pick<Hold, 'mode' | 'fence'>): string | null {
    if (permitsOf(name) > 1) return this.#isNew(name, fence)
    const none = { epoch: -1, counter: 0 }
    const { any, alone } = this.#largest.get(name) ?? { any: none, alone: none }
    const rises = mode === 'exclusive' ? exceeds(fence, any) : !exceeds(alone, fence)
    if (!rises) return `${name} is granted with fence ${write(fence)} after ${write(any)}`
    this.#largest.set(name, {
      any: exceeds(fence, any) ? fence : any,
      alone: mode === 'exclusive' ? fence : alone,
    })
    return null
  }
}

function exceeds(a: Fence, b: Fence): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.counter > b.counter)
}

function write({ epoch, counter }: Fence): string {
  return `${epoch}:${counter}`
}

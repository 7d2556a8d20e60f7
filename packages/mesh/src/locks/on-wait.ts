/** Tells a caller that waits for long who is inside, since when, and how many wait. */
import type { Mode } from '@turnwise/core/algorithm'
import { fenceNumber } from '../protocol/fence.ts'
import type { About, Standing } from '../protocol/messages.ts'
import { isGroup, namesHeld } from '../protocol/names.ts'
import type { Wish } from './options.ts'
import type { Lined } from './survey.ts'

/** What a waiting caller is told. */
export interface Wait {
  /** The name that it waits for. */
  readonly name: string
  /** Milliseconds since it asked. */
  readonly waited: number
  /** The callers inside; of a group those with a name that it waits for. Null if they cannot be asked, without a quorum. */
  readonly holders: readonly WaitedFor[] | null
  /** How many wait at all nodes, this caller included; of a group for one of its names. Null as above. */
  readonly waiting: number | null
  /**
   * How many of them are let in before this caller, if nobody else comes and nobody gives up; null as above, and if the
   * algorithm does not know it.
   */
  readonly ahead: number | null
}

/** A caller that is inside while others wait. */
export interface WaitedFor {
  /** Its node. */
  readonly id: string
  /** `exclusive` or `shared`. */
  readonly mode: Mode
  /** The fence of its lock. */
  readonly fence: bigint
  /** Milliseconds for which it has held the lock. */
  readonly held: number
  /** Of a group: the names that it holds. */
  readonly names?: readonly string[]
  /** What it says about itself, if anything. Do not trust it. */
  readonly info?: unknown
}

/** When to call `tell`. */
export interface OnWait {
  /** Milliseconds of waiting after which `tell` is called, and the interval of later calls. Default 5000. */
  readonly after?: number
  /** An error that it throws is an uncaught exception, as in any timer. */
  readonly tell: (wait: Wait) => void
}

/** As a field, if there is any. */
export function infoOf(about: About | undefined): { readonly info?: unknown } {
  return about === undefined || about.info === null ? {} : { info: JSON.parse(about.info) as unknown }
}

/** Returns the function that ends it. */
export function tellWhileWaiting(
  ask: () => Promise<Lined>,
  wish: Pick<Wish, 'name' | 'resources'>,
  { after, tell }: Required<OnWait>,
): () => void {
  const began = performance.now()
  let isAsking = false
  let isOver = false
  const look = async () => {
    if (isAsking) return
    isAsking = true
    const lined = await ask().catch(() => null)
    isAsking = false
    if (!isOver) tell(waitFrom(wish, performance.now() - began, lined))
  }
  const timer = setInterval(() => void look(), after)
  timer.unref()
  return () => {
    isOver = true
    clearInterval(timer)
  }
}

function waitFrom(
  { name, resources }: Pick<Wish, 'name' | 'resources'>,
  waited: number,
  lined: Lined | null,
): Wait {
  if (lined === null) return { name, waited, holders: null, waiting: null, ahead: null }
  const standings = lined.nodes.flatMap(({ id, names }) => names.map((standing) => ({ id, ...standing })))
  // Those who want other names of a group are in nobody's way.
  const isInTheWay = (other: Standing) =>
    resources === undefined || other.resources?.some((each) => resources.includes(each)) === true
  const holders = standings.flatMap(({ id, name: key, held }) =>
    held.filter(isInTheWay).map((holder) => ({
      id,
      mode: holder.mode,
      fence: fenceNumber(holder.fence),
      held: holder.age,
      ...(isGroup(key) && { names: namesHeld(key, holder) }),
      ...infoOf(holder.about),
    })),
  )
  const waiting = standings.reduce((sum, { pending }) => sum + pending.filter(isInTheWay).length, 0)
  return { name, waited, holders, waiting, ahead: lined.ahead }
}

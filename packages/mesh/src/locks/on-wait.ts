/** Tells a caller that waits for long who is inside, since when, and how many wait. */
import type { Mode } from '@turnwise/core/algorithm'
import { fenceNumber } from '../protocol/fence.ts'
import type { About } from '../protocol/messages.ts'
import type { Lined } from './survey.ts'

/** What a waiting caller is told. */
export interface Wait {
  /** The name that it waits for. */
  readonly name: string
  /** Milliseconds since it asked. */
  readonly waited: number
  /** The callers inside; null if they cannot be asked, without a quorum. */
  readonly holders: readonly WaitedFor[] | null
  /** How many wait at all nodes, this caller included; null as above. */
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
  name: string,
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
    if (!isOver) tell(waitFrom(name, performance.now() - began, lined))
  }
  const timer = setInterval(() => void look(), after)
  timer.unref()
  return () => {
    isOver = true
    clearInterval(timer)
  }
}

function waitFrom(name: string, waited: number, lined: Lined | null): Wait {
  if (lined === null) return { name, waited, holders: null, waiting: null, ahead: null }
  const standings = lined.nodes.flatMap(({ id, names }) => names.map((standing) => ({ id, ...standing })))
  const holders = standings.flatMap(({ id, held }) =>
    held.map(({ mode, fence, age, about }) => ({
      id,
      mode,
      fence: fenceNumber(fence),
      held: age,
      ...infoOf(about),
    })),
  )
  const waiting = standings.reduce((sum, { pending }) => sum + pending.length, 0)
  return { name, waited, holders, waiting, ahead: lined.ahead }
}

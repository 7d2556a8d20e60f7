/** Tells a caller that waits for long who is inside, since when, and how many wait. */
import type { Mode } from '@turnwise/core/algorithm'
import { fenceNumber } from '../protocol/fence.ts'
import type { About, NameStanding } from '../protocol/messages.ts'

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
  /** How many of them have waited longer; null as above. The algorithm decides which one is next. */
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

/** All holders and waiters of one name, by node. */
type Survey = (
  key: string,
) => Promise<readonly { readonly id: string; readonly names: readonly NameStanding[] }[]>

/** Returns the function that ends it. */
export function tellWhileWaiting(
  survey: Survey,
  key: string,
  name: string,
  { after, tell }: Required<OnWait>,
): () => void {
  const began = performance.now()
  let isAsking = false
  let isOver = false
  const look = async () => {
    if (isAsking) return
    isAsking = true
    const nodes = await survey(key).catch(() => null)
    isAsking = false
    if (!isOver) tell(waitFrom(name, performance.now() - began, nodes))
  }
  const timer = setInterval(() => void look(), after)
  timer.unref()
  return () => {
    isOver = true
    clearInterval(timer)
  }
}

function waitFrom(name: string, waited: number, nodes: Awaited<ReturnType<Survey>> | null): Wait {
  if (nodes === null) return { name, waited, holders: null, waiting: null, ahead: null }
  const holders = nodes.flatMap(({ id, names }) =>
    names.flatMap(({ held }) =>
      held.map(({ mode, fence, age, about }) => ({
        id,
        mode,
        fence: fenceNumber(fence),
        held: age,
        ...infoOf(about),
      })),
    ),
  )
  const pending = nodes.flatMap(({ names }) => names.flatMap((standing) => standing.pending))
  const ahead = pending.filter(({ age }) => age > waited).length
  return { name, waited, holders, waiting: pending.length, ahead }
}

/** For whoever waits longer than expected: who is inside, since when, and how many are in line. */
import type { Mode } from '@turnwise/core/algorithm'
import { fenceNumber } from '../protocol/fence.ts'
import type { About, NameStanding } from '../protocol/messages.ts'

/** What is told while a caller waits. */
export interface Wait {
  /** The name that it waits for. */
  readonly name: string
  /** Milliseconds since it asked. */
  readonly waited: number
  /** Who is inside; null if it cannot be found out, without a quorum. */
  readonly holders: readonly WaitedFor[] | null
  /** How many wait, at all nodes, this caller included; null as above. */
  readonly waiting: number | null
  /** How many of them have waited longer; null as above. Who goes next is for the algorithm to say. */
  readonly ahead: number | null
}

/** One who is inside while others wait. */
export interface WaitedFor {
  /** Its node. */
  readonly id: string
  /** `exclusive` or `shared`. */
  readonly mode: Mode
  /** That of its lock. */
  readonly fence: bigint
  /** Milliseconds for which it has held the lock. */
  readonly held: number
  /** What it says of itself, if anything. Do not trust it. */
  readonly info?: unknown
}

/** When to tell, and whom. */
export interface OnWait {
  /** Milliseconds of waiting after which `tell` is called, and again and again. Default 5000. */
  readonly after?: number
  /** What it throws is an uncaught exception, as of any timer. */
  readonly tell: (wait: Wait) => void
}

/** As a field, if there is any. */
export function infoOf(about: About | undefined): { readonly info?: unknown } {
  return about === undefined || about.info === null ? {} : { info: JSON.parse(about.info) as unknown }
}

/** All that is held and awaited of one name, by node. */
type Survey = (
  key: string,
) => Promise<readonly { readonly id: string; readonly names: readonly NameStanding[] }[]>

/** Returns what ends it. */
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

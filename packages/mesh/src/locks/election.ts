import { fenceNumber } from '../protocol/fence.ts'
import { electionKey } from '../protocol/names.ts'
import { NoDaemonError, NoQuorumError } from './errors.ts'
import type { Held } from './held.ts'
import { type Backing, obtain } from './obtain.ts'
import { infoOf } from './on-wait.ts'
import { readWait, type WaitingOptions, type WaitOptions } from './options.ts'
import type { Answer } from './survey.ts'

/** The leader of an election. */
export interface Leader {
  /** The node of the leader. */
  readonly id: string
  /** Later leaders have larger fences. */
  readonly fence: bigint
  /** What it says about itself, if anything. Do not trust it. */
  readonly info?: unknown
}

/** One leader at a time among all nodes that campaign. When a leader dies, another follows after its lease. */
export interface Election {
  /** The name that was given. */
  readonly name: string
  /** Resolves when this caller leads. `signal` aborts when it no longer does; `release` resigns. */
  campaign(options?: WaitingOptions): Promise<Held>
  /** With `ifAvailable`: null if another caller leads or campaigns. */
  campaign(options: WaitOptions): Promise<Held | null>
  /** The current leader, or null. */
  leader(): Promise<Leader | null>
  /**
   * Yields the current leader, and again whenever another one is seen, until the loop ends. Yields null without a leader, or
   * without a quorum or a daemon to ask.
   */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<Leader | null>
}

/** What an election needs besides locks. */
export interface Polls {
  ask(name: string): Promise<readonly Answer[]>
  /** Resolves at the next tick of the mesh, with false when it closes. */
  pause(): Promise<boolean>
}

export function election(backing: Backing, polls: Polls, name: string): Election {
  const key = electionKey(name)
  const isOpen = () => backing.assertOpen()
  const leader = async (): Promise<Leader | null> => {
    readWait(name, undefined, isOpen, 'an election')
    for (const { id, names } of await polls.ask(key)) {
      const leads = names[0]?.held[0]
      if (leads !== undefined) return { id, fence: fenceNumber(leads.fence), ...infoOf(leads.about) }
    }
    return null
  }
  /** Undefined when the node has left. A daemon that is gone may come back: if not, the client is closed. */
  const seen = async (): Promise<Leader | null | undefined> => {
    try {
      return await leader()
    } catch (error) {
      return [NoQuorumError, NoDaemonError].some((kind) => error instanceof kind) ? null : undefined
    }
  }
  return {
    name,
    leader,
    async campaign(options?: WaitOptions): Promise<never> {
      const wish = readWait(name, options, isOpen, 'an election')
      return (await obtain(backing, key, wish)) as never
    },
    async *observe({ signal } = {}) {
      readWait(name, undefined, () => {}, 'an election')
      let last: bigint | null | undefined
      do {
        const now = await seen()
        if (signal?.aborted || now === undefined) return
        if (last === (now?.fence ?? null)) continue
        last = now?.fence ?? null
        yield now
      } while (!signal?.aborted && (await polls.pause()))
    },
  }
}

import { fenceNumber } from '../protocol/fence.ts'
import { electionKey } from '../protocol/names.ts'
import type { Held } from './held.ts'
import type { Backing } from './lock-manager.ts'
import { type LockOptions, readWish } from './options.ts'
import type { Answer } from './survey.ts'

/** Who leads; null while nobody does. */
export interface Leader {
  readonly id: string
  /** Later leaders have larger ones. */
  readonly fence: bigint
}

export type CampaignOptions = Pick<LockOptions, 'signal' | 'timeout' | 'waitForQuorum'>

/** One leader at a time among all nodes that campaign. A leader that dies is followed by another after its lease. */
export interface Election {
  readonly name: string
  /** Resolves when this caller leads. `signal` aborts when it no longer does; `release` resigns. */
  campaign(options?: CampaignOptions): Promise<Held>
  leader(): Promise<Leader | null>
  /** The leader now, and every other one that is seen until the loop ends. */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<Leader | null>
}

/** What an election needs beside locks. */
export interface Polls {
  ask(name: string): Promise<readonly Answer[]>
  /** Resolves at the next tick of the mesh, or when it closes: then with false. */
  pause(): Promise<boolean>
}

export function election(backing: Backing, polls: Polls, name: string): Election {
  const key = electionKey(name)
  const leader = async (): Promise<Leader | null> => {
    for (const { id, names } of await polls.ask(key)) {
      const fence = names[0]?.held[0]?.fence
      if (fence !== undefined) return { id, fence: fenceNumber(fence) }
    }
    return null
  }
  return {
    name,
    leader,
    async campaign(options) {
      const { signal, timeout, waitForQuorum } = options ?? {}
      const wish = readWish(name, { signal, timeout, waitForQuorum }, () => backing.assertOpen())
      signal?.throwIfAborted()
      return backing.obtain(key, wish)
    },
    async *observe({ signal } = {}) {
      let last: bigint | null | undefined
      do {
        const now = await leader()
        if (signal?.aborted) return
        if (last === (now?.fence ?? null)) continue
        last = now?.fence ?? null
        yield now
      } while (!signal?.aborted && (await polls.pause()))
    },
  }
}

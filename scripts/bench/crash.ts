/** How long the next waiter waits when the holder is killed with -9, whichever process that is. */
import { get } from '@turnwise/core/bounds'
import { Fleet } from './fleet.ts'
import type { Progress } from './progress.ts'
import { now } from './talk.ts'

export const LEASE = 2000
const LOCK = 'invoices'
const NODES = 3

/** One kill: of whom, in the order in which voters propose (R8), and the milliseconds until the next is inside. */
export interface Kill {
  readonly rank: number
  readonly took: number
}

/** Each voter in turn. */
export async function takeovers(kills: number, progress: Progress): Promise<Kill[]> {
  const fleet = await Fleet.of(NODES, { lease: LEASE })
  try {
    const made: Kill[] = []
    for (let i = 0; i < kills; i += 1) {
      const rank = i % NODES
      const what = `kill ${i + 1} of ${kills}`
      progress.begins(what)
      const took = await killHolder(fleet, rank)
      progress.ended(what, `${Math.round(took)} ms to the next entry`)
      made.push({ rank, took })
    }
    return made
  } finally {
    await fleet.end()
  }
}

async function killHolder(fleet: Fleet, holder: number): Promise<number> {
  await get(fleet.helpers, holder).ask({ do: 'hold', name: LOCK })
  const others = fleet.helpers.filter((_, i) => i !== holder)
  const entries = others.map((helper) => helper.ask<number>({ do: 'hold', name: LOCK }))
  // Their requests are under way; a heartbeat of the holder may come between them and the kill.
  await new Promise((resolve) => setTimeout(resolve, LEASE / 4))
  const killed = now()
  await get(fleet.helpers, holder).end()
  const first = await Promise.race(entries)
  // The one who waits inside lets the other in; that is no part of the figure.
  const next = entries.map((entry, i) => entry.then(() => get(others, i).ask({ do: 'release' })))
  await Promise.all(next)
  await fleet.restart(holder)
  return first - killed
}

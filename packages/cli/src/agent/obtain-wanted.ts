/** What is asked for at the command line, asked of a member or of a daemon. */

import type { Wanted } from '@turnwise/mesh/daemon/control-messages'
import { type Locks, orAborted, request } from '@turnwise/mesh/daemon/wanted'
import type { Held } from '@turnwise/mesh/locks/held'

/** It was not to be had, for now. */
export class NotHad extends Error {
  override readonly name = 'NotHad'
}

/** Rejects with the reason of the signal when that aborts, and gives back what comes later. */
export async function obtain(mesh: Locks, wanted: Wanted, signal: AbortSignal): Promise<Held> {
  // What does not wait takes no signal; without a quorum it waits all the same.
  const held = await orAborted(request(mesh, wanted, signal), signal, (late) => late?.release())
  if (held === null) throw new NotHad(TAKEN[wanted.what](wanted.name))
  return held
}

const TAKEN: Readonly<Record<Wanted['what'], (name: string) => string>> = {
  lock: (name) => `"${name}" is taken: somebody holds it or waits for it`,
  group: (name) => `"${name}" is taken: a name of the group is held or waited for`,
  semaphore: (name) => `"${name}" is taken: all permits are held or waited for`,
  election: (name) => `"${name}" is taken: somebody leads or campaigns`,
}

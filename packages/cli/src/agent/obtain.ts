/** What is asked for at the command line, asked of the mesh. */
import type { Held } from '@turnwise/mesh/locks/held'
import type { WaitOptions } from '@turnwise/mesh/locks/options'
import type { Mesh } from '@turnwise/mesh/surface'
import { NotHad } from './hold.ts'
import type { Wanted } from './protocol.ts'

/** Rejects with the reason of the signal when that aborts, and gives back what comes later. */
export async function obtain(mesh: Mesh, wanted: Wanted, signal: AbortSignal): Promise<Held> {
  // What does not wait takes no signal; without a quorum it waits all the same.
  const asked = ask(mesh, wanted, wanted.how === 'wait' ? { signal } : { ifAvailable: wanted.how === 'now' })
  const held = await orAborted(asked, signal, (late) => late?.release())
  if (held === null) throw new NotHad(TAKEN[wanted.what](wanted.name))
  return held
}

function ask(
  mesh: Mesh,
  { what, name, permits, mode, how }: Wanted,
  options: WaitOptions,
): Promise<Held | null> {
  if (what === 'semaphore') return mesh.semaphore(name, permits).acquire(options)
  if (what === 'election') return mesh.election(name).campaign(options)
  return mesh.locks.acquire(name, { ...options, mode, steal: how === 'steal' })
}

const TAKEN: Readonly<Record<Wanted['what'], (name: string) => string>> = {
  lock: (name) => `"${name}" is taken: somebody holds it or waits for it`,
  semaphore: (name) => `"${name}" is taken: all permits are held or waited for`,
  election: (name) => `"${name}" is taken: somebody leads or campaigns`,
}

export function whyNotIn({ name, timeout }: Wanted): string {
  return `timed out after ${timeout ?? 0} ms waiting for "${name}"`
}

/** `late` gets what comes after the signal. */
export function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  late: (value: Value) => void = () => {},
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason)
      promise.then(late, () => {})
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** What is asked for at the command line, asked of the mesh. */
import type { Held } from '@turnwise/mesh/locks/held'
import type { Mesh } from '@turnwise/mesh/surface'
import { NotHad } from './hold.ts'
import type { Wanted } from './protocol.ts'

/** Rejects with the reason of the signal when that aborts, and gives back what comes later. */
export async function obtain(mesh: Mesh, wanted: Wanted, signal: AbortSignal): Promise<Held> {
  const { what, name, mode, how } = wanted
  if (what === 'semaphore') return mesh.semaphore(name, wanted.permits).acquire({ signal })
  if (what === 'election') return mesh.election(name).campaign({ signal })
  if (how === 'wait') return mesh.locks.acquire(name, { mode, signal })
  // These two take no signal, for they do not wait for the lock; without a quorum they wait all the same.
  const asked = mesh.locks.acquire(name, { mode, steal: how === 'steal', ifAvailable: how === 'now' })
  const held = await orAborted(asked, signal, (late) => late?.release())
  if (held === null) throw new NotHad(`"${name}" is taken: somebody holds it or waits for it`)
  return held
}

export function whyNotIn({ name, timeout }: Wanted): string {
  return `"${name}" was not had within ${timeout ?? 0} ms`
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

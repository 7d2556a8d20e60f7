import { Worker } from 'node:worker_threads'
import type { PropertyResult } from '@turnwise/checker/property'
import type { CheckOptions } from './check-options.ts'

export interface FenceThread {
  /** Null if it was stopped before it was done. */
  readonly result: Promise<PropertyResult | null>
  stop(): void
}

/** Follows the fences in a thread of its own. It reads the options anew: an algorithm cannot be sent. */
export function fencesInThread(name: string, options: CheckOptions): FenceThread {
  const worker = new Worker(new URL('./fence-worker.js', import.meta.url), { workerData: { name, options } })
  return {
    result: new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => resolve(null))
    }),
    stop: () => void worker.terminate(),
  }
}

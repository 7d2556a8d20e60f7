import { Worker } from 'node:worker_threads'
import type { PropertyResult } from '@turnwise/checker/property'
import type { CheckOptions } from './check-options.ts'

/** Follows the fences in a thread of its own. It reads the options anew: an algorithm cannot be sent. */
export function fencesInThread(name: string, options: CheckOptions): Promise<PropertyResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./fence-worker.js', import.meta.url), {
      workerData: { name, options },
    })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

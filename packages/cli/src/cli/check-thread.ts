import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Expansion, Work } from '@turnwise/checker/expander'
import type { PropertyResult } from '@turnwise/checker/property'
import type { CheckOptions } from './check-options.ts'

/** What the thread is asked for. */
export type Errand = { readonly is: 'expand'; readonly work: Work } | { readonly is: 'fences' }

/** What it says: first that it is ready, then how each errand went. */
export type Answer =
  | { readonly is: 'ready' }
  | { readonly is: 'expanded'; readonly expansion: Expansion }
  /** How far the search that follows the fences is; the result when it is decided. */
  | { readonly is: 'fences'; readonly states: number; readonly result: PropertyResult | null }

/** Told in one line: nothing in the program is wrong where a thread runs out of memory. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied'
}

/** The second thread of a check. It reads the options anew: an algorithm cannot be sent. */
export class CheckThread {
  /** It takes a while to start; errands sent before wait until then. */
  isReady = false
  readonly #worker: Worker
  readonly #answers: NodeJS.AsyncIterator<[Answer]>
  #isStopped = false

  constructor(name: string, options: CheckOptions, entry = new URL('./check-worker.js', import.meta.url)) {
    // It runs what was built, even where the first thread runs the sources and was told so by a flag.
    this.#worker = new Worker(entry, { workerData: { name, options }, execArgv: [] })
    this.#answers = on(this.#worker, 'message', { close: ['exit'] }) as NodeJS.AsyncIterator<[Answer]>
    this.#worker.once('message', () => {
      this.isReady = true
    })
  }

  /** What is in the work is given away with it. */
  expand(work: Work): void {
    const errand: Errand = { is: 'expand', work }
    this.#worker.postMessage(errand, [work.bytes.buffer, work.sizes.buffer])
  }

  followFences(): void {
    const errand: Errand = { is: 'fences' }
    this.#worker.postMessage(errand)
  }

  /** The next answer to an errand, in the order of the errands; null if the thread was stopped before. */
  async answer(): Promise<Exclude<Answer, { is: 'ready' }> | null> {
    for (;;) {
      const { value, done } = await this.#answers.next().catch((error: Error) => {
        throw new ThreadDied(`the second thread died: ${error.message}; --workers 1 does without it`)
      })
      if (done === true) {
        if (this.#isStopped) return null
        throw new ThreadDied('the second thread died without an error; --workers 1 does without it')
      }
      const [answer] = value
      if (answer.is !== 'ready') return answer
    }
  }

  stop(): void {
    this.#isStopped = true
    void this.#worker.terminate()
  }
}

/** The second thread of a check: expands states for a search in the first, and follows the fences. */
import { parentPort, workerData } from 'node:worker_threads'
import { Expander } from '@turnwise/checker/expander'
import { FenceCheck } from '@turnwise/checker/fence-check'
import { type CheckOptions, instanceFrom } from './check-options.ts'
import type { Answer, Errand } from './check-thread.ts'
import { protocolFor } from './own-file.ts'

/** How many states are expanded between two reports. */
const SLICE = 5_000

const { name, options } = workerData as { name: string; options: CheckOptions }
const { instance, mostStates } = instanceFrom(await protocolFor(name), options)
const expander = new Expander(instance)

function answer(what: Answer, given: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(what, given)
}

parentPort?.on('message', (errand: Errand) => {
  if (errand.is === 'expand') {
    const expansion = expander.expand(errand.work)
    const { bytes, sizes, counts, labels } = expansion
    answer(
      { is: 'expanded', expansion },
      [bytes, sizes, counts, labels].map(({ buffer }) => buffer),
    )
    return
  }
  const fences = new FenceCheck(instance, mostStates)
  while (!fences.run(SLICE)) answer({ is: 'fences', states: fences.states, result: null })
  answer({ is: 'fences', states: fences.states, result: fences.result })
})

answer({ is: 'ready' })

import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Report, reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { configOf, type PlannedRun } from './sweep.ts'

/** What the worker tells of one run of the plan. */
export type Measured =
  | { readonly is: 'report'; readonly report: Report }
  | { readonly is: 'refused'; readonly run: PlannedRun; readonly why: string }
  | { readonly is: 'done' }

/** Stopped by ending the worker: a run is a pure function, so nothing is left behind. */
self.addEventListener('message', ({ data }: MessageEvent<readonly PlannedRun[]>) => {
  const tell = (measured: Measured) => self.postMessage(measured)
  for (const run of data) tell(measure(run))
  tell({ is: 'done' })
})

function measure(run: PlannedRun): Measured {
  try {
    return { is: 'report', report: reportOf(new Simulation(configOf(run)).runToEnd()) }
  } catch (error) {
    if (error instanceof InvalidInput) return { is: 'refused', run, why: error.message }
    throw error
  }
}

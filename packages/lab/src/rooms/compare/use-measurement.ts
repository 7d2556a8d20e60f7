import type { Report } from '@turnwise/simulator/report'
import { useEffect, useState } from 'react'
import type { Measured } from './compare.worker.ts'
import { type Comparison, type PlannedRun, planOf } from './sweep.ts'

/** How far a comparison is. */
export interface Measurement {
  readonly reports: readonly Report[]
  readonly refused: readonly { readonly run: PlannedRun; readonly why: string }[]
  readonly planned: number
  readonly isRunning: boolean
  /** Why the worker ended before its work did. */
  readonly trouble: string | null
}

const NOTHING: Measurement = { reports: [], refused: [], planned: 0, isRunning: false, trouble: null }

/** Results are shown a few times a second: drawing each of thousands would take longer than measuring. */
const SHOW_EVERY_MS = 250

/** Measures in a worker of its own, which ends with the comparison that it was made for. */
export function useMeasurement(comparison: Comparison | null): Measurement & { stop: () => void } {
  const [measurement, setMeasurement] = useState(NOTHING)
  const [worker, setWorker] = useState<Worker | null>(null)
  useEffect(() => {
    if (comparison === null) return setMeasurement(NOTHING)
    const plan = planOf(comparison)
    let known: Measurement = { ...NOTHING, planned: plan.length, isRunning: true }
    let shownAt = 0
    const show = (next: Measurement, isUrgent: boolean) => {
      known = next
      if (!isUrgent && performance.now() - shownAt < SHOW_EVERY_MS) return
      shownAt = performance.now()
      setMeasurement(next)
    }
    show(known, true)
    const measuring = new Worker(new URL('./compare.worker.ts', import.meta.url), { type: 'module' })
    measuring.addEventListener('message', ({ data }: MessageEvent<Measured>) => {
      if (data.is === 'done') show({ ...known, isRunning: false }, true)
      else if (data.is === 'report') show({ ...known, reports: [...known.reports, data.report] }, false)
      else show({ ...known, refused: [...known.refused, data] }, false)
    })
    measuring.addEventListener('error', (event) => {
      show({ ...known, isRunning: false, trouble: event.message || 'the worker could not be started' }, true)
    })
    measuring.postMessage(plan)
    setWorker(measuring)
    return () => measuring.terminate()
  }, [comparison])
  const stop = () => {
    worker?.terminate()
    setMeasurement((before) => ({ ...before, isRunning: false }))
  }
  return { ...measurement, stop }
}

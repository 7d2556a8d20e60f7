import { useEffect, useState } from 'react'
import type { Answer } from './answer.ts'
import type { CheckMessage } from './check.worker.ts'
import type { Question } from './check-question.ts'

export interface Checking {
  readonly isRunning: boolean
  readonly states: number
  readonly statesPerSecond: number
  readonly answer: Answer | null
  readonly complaint: string | null
}

const NOTHING: Checking = { isRunning: false, states: 0, statesPerSecond: 0, answer: null, complaint: null }

/** Explores in a worker of its own, which ends with the question that it was made for. */
export function useCheck(question: Question | null): Checking & { stop: () => void } {
  const [checking, setChecking] = useState(NOTHING)
  const [worker, setWorker] = useState<Worker | null>(null)
  useEffect(() => {
    if (question === null) return setChecking(NOTHING)
    setChecking({ ...NOTHING, isRunning: true })
    const started = performance.now()
    const searching = new Worker(new URL('./check.worker.ts', import.meta.url), { type: 'module' })
    searching.addEventListener('message', ({ data }: MessageEvent<CheckMessage>) => {
      if (data.is === 'complaint') return setChecking({ ...NOTHING, complaint: data.text })
      const statesPerSecond = Math.round((1000 * data.states) / (performance.now() - started))
      const seen = { ...NOTHING, states: data.states, statesPerSecond }
      setChecking(data.is === 'answer' ? { ...seen, answer: data } : { ...seen, isRunning: true })
    })
    searching.addEventListener('error', ({ message }) => {
      setChecking({
        ...NOTHING,
        complaint: `the search ended: ${message || 'its worker could not be started'}`,
      })
    })
    searching.postMessage(question)
    setWorker(searching)
    return () => searching.terminate()
  }, [question])
  const stop = () => {
    worker?.terminate()
    setChecking((before) => ({ ...before, isRunning: false, complaint: 'Stopped: nothing is proved.' }))
  }
  return { ...checking, stop }
}

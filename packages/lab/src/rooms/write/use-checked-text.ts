import { type RefObject, useEffect, useRef, useState } from 'react'
import { Sandbox } from './sandbox.ts'
import type { WriteAnswer, WriteTask } from './sandbox-messages.ts'

/** In milliseconds: a text is checked when nobody has written for so long. */
const REST = 350
/** What has not ended by then is ended. */
const LIMIT = 10_000

export interface CheckedText {
  readonly isRunning: boolean
  readonly states: number
  readonly said: Exclude<WriteAnswer, { is: 'searching' }> | null
  /** From the last key to the answer, in milliseconds. */
  readonly took: number
}

const NOTHING: CheckedText = { isRunning: false, states: 0, said: null, took: 0 }

/** Has a text checked in the sandbox, again after each change; null is not checked. The last answer stays until the next. */
export function useCheckedText(task: WriteTask | null, place: RefObject<HTMLElement | null>): CheckedText {
  const [checked, setChecked] = useState(NOTHING)
  const sandbox = useRef<Sandbox | null>(null)
  useEffect(
    () => () => {
      sandbox.current?.close()
      sandbox.current = null
    },
    [],
  )
  useEffect(() => {
    if (task === null || place.current === null) return setChecked(NOTHING)
    sandbox.current ??= new Sandbox(place.current)
    const running = sandbox.current
    const changedAt = performance.now()
    let limit = 0
    const end = (said: CheckedText['said']) => {
      window.clearTimeout(limit)
      setChecked(({ states }) => ({ isRunning: false, states, said, took: performance.now() - changedAt }))
    }
    const rest = window.setTimeout(() => {
      setChecked(({ said, took }) => ({ isRunning: true, states: 0, said, took }))
      limit = window.setTimeout(() => {
        // A text that filled the memory may have ended the frame and its process: the next one gets another.
        running.close()
        if (sandbox.current === running) sandbox.current = null
        end({ is: 'faulty', what: running.isReady ? OVER : NOT_LOADED, place: null })
      }, LIMIT)
      running.run(task, (answer) => {
        if (answer.is === 'searching') setChecked((before) => ({ ...before, states: answer.states }))
        else end(answer)
      })
    }, REST)
    return () => {
      window.clearTimeout(rest)
      window.clearTimeout(limit)
      running.stop()
    }
  }, [task])
  return checked
}

const NOT_LOADED = 'the sandbox could not be loaded: it needs the server of this page'
const OVER = `ended after ${LIMIT / 1000} s: nothing is proved. Is there an endless loop, or one that fills the memory, or are there too many nodes?`

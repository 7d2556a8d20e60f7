import { useEffect, useRef, useState } from 'react'
import { writeHands } from '../../run/hand.ts'
import { CodeReader, type Followed } from '../../worker/code-reader.ts'
import type { Run } from './use-run.ts'

interface Code {
  readonly followed: Followed | null
  readonly complaint: string | null
}

const NOTHING: Code = { followed: null, complaint: null }

/** A record of more events is not played again for its code. */
const MOST_EVENTS = 100_000

/** What ran in each step of this run. It is followed through the text of its algorithm while somebody looks at that. */
export function useCode(run: Run): Code {
  const reader = useRef<CodeReader | null>(null)
  const [code, setCode] = useState<Code & { readonly of?: unknown }>(NOTHING)
  const { spec, hands, recording, isRecord, isOwnText } = run
  const of = isRecord ? recording.header : JSON.stringify([spec, writeHands(hands)])
  const refusal =
    isOwnText === true
      ? 'This run is of a text that you wrote. The room Write has it.'
      : isRecord && recording.events.length > MOST_EVENTS
        ? `This record has more than ${MOST_EVENTS.toLocaleString('en-US')} events: that is too long to find the lines that ran.`
        : null
  useEffect(() => {
    if (refusal !== null) return
    reader.current ??= new CodeReader()
    const { header, events } = recording
    reader.current.follow(
      { spec, what: isRecord ? { trace: { header, events } } : { hands } },
      {
        progress: (followed) => setCode({ of, followed, complaint: null }),
        complaint: (complaint) => setCode({ of, followed: null, complaint }),
      },
    )
  }, [of, refusal])
  useEffect(
    () => () => {
      reader.current?.close()
      reader.current = null
    },
    [],
  )
  if (refusal !== null) return { followed: null, complaint: refusal }
  return code.of === of ? code : NOTHING
}

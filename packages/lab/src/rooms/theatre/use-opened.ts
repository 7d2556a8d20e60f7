import { useEffect, useRef, useState } from 'react'
import { handsIn } from '../../run/recorded-words.ts'
import { type OpenedRecord, type Opening, openRecord, recordOf } from '../../worker/record-opener.ts'
import { heldOpened, pack, unpack } from './packed.ts'
import type { Run } from './use-run.ts'

interface Result {
  readonly run: Run | null
  readonly complaint: string | null
  readonly opening: Opening | null
}

const NOTHING: Result = { run: null, complaint: null, opening: null }

/** The records opened last, so that going back to one is quick. They can be large. */
const KEPT = 3
const kept = new Map<string, Run>()

function keep(word: string, { spec, world, recording, notes }: OpenedRecord, isOwnText = false): Run {
  const hands = handsIn(recording.header)
  const run = { spec, hands, world, recording, refused: notes, isRecord: true, isOwnText }
  kept.set(word, run)
  for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old)
  return run
}

/** The record that the address holds, if it holds one. */
export function useOpened(word: string | undefined): Result {
  const [result, setResult] = useState<Result & { readonly word?: string }>(NOTHING)
  useEffect(() => {
    if (word === undefined) return undefined
    const known = kept.get(word)
    if (known !== undefined) return setResult({ ...NOTHING, word, run: known })
    const held = heldOpened(word)
    if (held !== null) return setResult({ ...NOTHING, word, run: keep(word, recordOf(held), true) })
    let isWanted = true
    let stop = () => {}
    void unpack(word).then((files) => {
      if (!isWanted) return
      if (files === null) {
        const complaint = 'this address no longer has its recording: open the file again'
        return setResult({ ...NOTHING, word, complaint })
      }
      stop = openRecord(files, {
        progress: (opening) => setResult({ ...NOTHING, word, opening }),
        complaint: (complaint) => setResult({ ...NOTHING, word, complaint }),
        done: (record) => setResult({ ...NOTHING, word, run: keep(word, record) }),
      })
    })
    return () => {
      isWanted = false
      stop()
    }
  }, [word])
  return result.word === word ? result : NOTHING
}

/** The messages for a visitor who opens files. */
export interface OpeningFiles {
  readonly opening: Opening | null
  readonly complaint: string | null
  readonly open: (files: readonly File[]) => void
  readonly stop: () => void
}

/** Opens files. What is shown stays until they are read: if they cannot be, nothing of it is lost. */
export function useOpeningFiles(show: (word: string) => void): OpeningFiles {
  const [{ opening, complaint }, setState] = useState<Omit<Result, 'run'>>(NOTHING)
  const running = useRef<() => void>(() => {})
  const latest = useRef(show)
  latest.current = show
  useEffect(() => () => running.current(), [])
  const stop = () => {
    running.current()
    setState(NOTHING)
  }
  const open = (files: readonly File[]) => {
    stop()
    running.current = openRecord(files, {
      progress: (share) => setState({ complaint: null, opening: share }),
      complaint: (words) => setState({ complaint: words, opening: null }),
      done(record) {
        setState(NOTHING)
        void pack(files).then((word) => {
          keep(word, record)
          latest.current(word)
        })
      },
    })
  }
  return { opening, complaint, open, stop }
}

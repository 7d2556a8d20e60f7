import { InvalidInput } from '@turnwise/core/invalid-input'
import { useEffect, useState } from 'react'
import { record } from '../../run/ledger.ts'
import { openTrace, traceFrom, worldIn } from '../../run/opened.ts'
import { playable } from '../../run/spec.ts'
import { unpack } from './packed.ts'
import type { Run } from './use-run.ts'

/** The record that the address holds, if it holds one. */
export function useOpened(word: string | undefined): {
  readonly run: Run | null
  readonly complaint: string | null
} {
  const [result, setResult] = useState<{
    word: string | undefined
    run: Run | null
    complaint: string | null
  }>({
    word: undefined,
    run: null,
    complaint: null,
  })
  useEffect(() => {
    if (word === undefined) return undefined
    let isWanted = true
    readRun(word).then(
      (run) => isWanted && setResult({ word, run, complaint: null }),
      (error: unknown) =>
        isWanted &&
        setResult({ word, run: null, complaint: error instanceof Error ? error.message : String(error) }),
    )
    return () => {
      isWanted = false
    }
  }, [word])
  return result.word === word ? result : { run: null, complaint: null }
}

async function readRun(word: string): Promise<Run> {
  const texts = await unpack(word)
  if (texts === null)
    throw new InvalidInput('this address does not hold its record any more: open the file again')
  const { spec, played, notes } = openTrace(traceFrom(texts), playable)
  return { spec, hands: [], world: worldIn(spec), recording: record(played), refused: notes, isRecord: true }
}

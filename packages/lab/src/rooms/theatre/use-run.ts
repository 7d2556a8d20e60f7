import { useEffect, useRef, useState } from 'react'
import { type Hand, writeHands } from '../../run/hand.ts'
import { type Recording, record } from '../../run/recording.ts'
import { type RunSpec, type WorldSpec, worldOf } from '../../run/spec.ts'
import { Player } from '../../worker/player.ts'

/** A run that can be shown. */
export interface Run {
  readonly spec: RunSpec
  readonly hands: readonly Hand[]
  readonly world: WorldSpec
  readonly recording: Recording
  /** What could not be done as the address says it. */
  readonly refused: readonly string[]
  /** Whether it was opened as a record: then hands cannot change it. */
  readonly isRecord: boolean
}

/** Branches are looked at in turn, so those seen last are kept. */
const KEPT = 12

/** Has the run played that is asked for. While it is, and if it cannot be, the last one stays. */
export function useRun(
  spec: RunSpec,
  hands: readonly Hand[],
): { readonly run: Run | null; readonly complaint: string | null } {
  const player = useRef<Player | null>(null)
  const kept = useRef(new Map<string, Run>())
  const [result, setResult] = useState<{ run: Run | null; complaint: string | null }>({
    run: null,
    complaint: null,
  })
  const key = JSON.stringify([spec, writeHands(hands)])
  useEffect(() => {
    const known = kept.current.get(key)
    if (known !== undefined) return setResult({ run: known, complaint: null })
    player.current ??= new Player()
    player.current.play(spec, hands, (answer) => {
      if ('complaint' in answer) return setResult((last) => ({ run: last.run, complaint: answer.complaint }))
      const { played } = answer
      const refused = played.refused.map(({ why }) => why)
      const run = { spec, hands, world: worldOf(spec), recording: record(played), refused, isRecord: false }
      kept.current.set(key, run)
      for (const old of [...kept.current.keys()].slice(0, -KEPT)) kept.current.delete(old)
      setResult({ run, complaint: null })
    })
    // The key says all that the words and hands say.
  }, [key])
  useEffect(
    () => () => {
      player.current?.close()
      player.current = null
    },
    [],
  )
  return result
}

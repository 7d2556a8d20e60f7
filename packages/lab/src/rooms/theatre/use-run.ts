import { useEffect, useRef, useState } from 'react'
import { type Hand, writeHands } from '../../run/hand.ts'
import type { Recording } from '../../run/recording.ts'
import { type RunSpec, type WorldSpec, worldOf } from '../../run/spec.ts'
import { Player } from '../../worker/player.ts'

/** A run that can be shown. */
export interface Run {
  readonly spec: RunSpec
  /** Of a record: those that it says. */
  readonly hands: readonly Hand[]
  readonly world: WorldSpec
  readonly recording: Recording
  /** Hands of the address that failed. */
  readonly refused: readonly string[]
  /** Whether it was opened as a record: then hands cannot change it. */
  readonly isRecord: boolean
  /** Whether its algorithm is a text that was written here: the one of its name is only drawn alike. */
  readonly isOwnText?: boolean
}

/** Branches are looked at in turn, so those seen last are kept. */
const KEPT = 12

/** In milliseconds: how often a run that is still coming is shown longer. */
const GROWS_EVERY = 150

/**
 * Has the run played that is asked for, and shows it as soon as its beginning is there. While it is not, and if it cannot be
 * played, the last one stays; so it does until the new one reaches to where it is looked at. Without words nothing is played.
 */
export function useRun(
  spec: RunSpec | null,
  hands: readonly Hand[],
  lookedAt: { readonly current: number } = BEGINNING,
): { readonly run: Run | null; readonly complaint: string | null } {
  const player = useRef<Player | null>(null)
  const kept = useRef(new Map<string, Run>())
  const [result, setResult] = useState<{ run: Run | null; complaint: string | null }>({
    run: null,
    complaint: null,
  })
  const key = JSON.stringify([spec, writeHands(hands)])
  useEffect(() => {
    if (spec === null) return undefined
    const known = kept.current.get(key)
    if (known !== undefined) return setResult({ run: known, complaint: null })
    player.current ??= takePlayer()
    let world: WorldSpec | null = null
    let shownAt = Number.NEGATIVE_INFINITY
    player.current.play(spec, hands, {
      complaint: (complaint) => setResult((last) => ({ run: last.run, complaint })),
      progress({ recording, refused }) {
        const { isWhole, happenings } = recording
        if (!isWhole && performance.now() - shownAt < GROWS_EVERY) return
        world ??= worldOf(spec)
        const run = { spec, hands, world, recording, refused, isRecord: false }
        if (isWhole) keep(kept.current, key, run)
        shownAt = performance.now()
        setResult((last) =>
          isWhole || last.run === null || happenings.length > lookedAt.current
            ? { run, complaint: null }
            : last,
        )
      },
    })
    // The key says all that the words and hands say.
  }, [key])
  useEffect(
    () => () => {
      if (player.current !== null) leavePlayer(player.current)
      player.current = null
    },
    [],
  )
  return result
}

const BEGINNING = { current: 0 }

/** Started with the code of the page, before anything is drawn: a worker takes longer to start than a first part to play. */
let ready: Player | null = new Player()

function takePlayer(): Player {
  const player = ready ?? new Player()
  ready = null
  return player
}

/** For the visitor that comes next: without a server its script could not be loaded again. */
function leavePlayer(player: Player): void {
  player.rest()
  if (ready !== null || player.hasFailed) player.close()
  else ready = player
}

function keep(kept: Map<string, Run>, key: string, run: Run): void {
  kept.set(key, run)
  for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old)
}

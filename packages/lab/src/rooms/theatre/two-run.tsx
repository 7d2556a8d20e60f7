import { useMemo } from 'react'
import { findSteps, type Wanted } from '../../run/find.ts'
import { litBy } from './find-row.tsx'
import type { Hands } from './laying-hands.tsx'
import type { Lit } from './paint.ts'
import type { Seen } from './saved.ts'
import { type Ringed, SpaceTimeView } from './spacetime-view.tsx'
import { TopologyView } from './topology-view.tsx'
import { ToldStep, titleOf } from './two-told.tsx'
import type { Run } from './use-run.ts'
import { useSchemeName } from './use-screen.ts'
import type { Truth } from './use-truth.ts'

interface Props {
  readonly run: Run
  readonly truth: Truth
  readonly hands: Hands
  /** Where it is shown on the common axis of time, and how much of that is seen. */
  readonly now: number
  readonly span: number
  readonly common: { readonly end: number; readonly isBare: boolean }
  readonly lit: Lit | null
  readonly ringed: Ringed | null
  /** Told what is seen, for a picture of it. */
  readonly seen: Seen
  /** Whether the last step was its own. */
  readonly isNews: boolean
  /** Whether the panel is about it. */
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly onSeek: (position: number) => void
  readonly onZoom: (by: number) => void
}

/** One of two runs: what it did last, its network, and its part of the diagram. */
export function TwoRun(props: Props) {
  const { run, truth, hands, now, span, common, lit, ringed, seen, onSeek, onZoom } = props
  const { isNews, isChosen, onChoose } = props
  const { moment, marks, setup } = truth
  const scheme = useSchemeName()
  return (
    <section className={isChosen ? 'two-run chosen' : 'two-run'} aria-label={titleOf(run)}>
      <ToldStep {...{ run, isNews, isChosen, onChoose }} position={moment.position} />
      <div className="two-pictures">
        <div className="two-network" ref={hands.stage}>
          <TopologyView
            {...{ run, setup, moment, now, marks, seen }}
            selected={hands.selected}
            onHandle={hands.handle}
          />
        </div>
        <SpaceTimeView
          {...{ now, span, marks, common, ringed, scheme, seen, onSeek, onZoom }}
          recording={run.recording}
          isUpright={false}
          found={lit}
        />
      </div>
    </section>
  )
}

/** The steps of one run that were looked for; null if nothing is. */
export function useFoundIn({ recording }: Run, wanted: readonly Wanted[] | null) {
  return useMemo(() => {
    if (wanted === null) return null
    const positions = findSteps(recording.happenings, wanted)
    return { positions, lit: litBy(positions, wanted) }
  }, [recording, wanted])
}

import { get } from '@turnwise/core/bounds'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { findSteps, type Wanted } from '../../run/find.ts'
import { type CommonTimeline, commonTimeline } from '../../run/timeline.ts'
import { marksOf } from '../../scene/legend.ts'
import { endOf } from '../../scene/spacetime.ts'
import { isEmbedded } from '../../shell/embedding.ts'
import { type KeyGroup, useKeys } from '../../shell/keys.ts'
import type { RoomProps } from '../rooms.ts'
import { DifferenceNote, type Parting, useParting } from './difference-note.tsx'
import { litBy } from './find-row.tsx'
import { useFinding } from './finding.tsx'
import { timeOf } from './pace.ts'
import type { Asked } from './query.ts'
import { firstSpan, type Ringed, SpaceTimeView } from './spacetime-view.tsx'
import { useSchemeName } from './surroundings.ts'
import { Transport } from './transport.tsx'
import { Tallies, ToldStep, titleOf } from './two-told.tsx'
import { useFind } from './use-find.ts'
import { type Playback, usePlayback } from './use-playback.ts'
import type { Run } from './use-run.ts'
import { useSharing } from './use-sharing.ts'
import { keyFor, playedKeys } from './use-theatre-keys.ts'

const Embedded = lazy(() => import('./embedded.tsx'))

interface Props {
  readonly runs: readonly [Run, Run]
  readonly asked: Asked
  readonly go: RoomProps['go']
  /** Told where the first run stands, and how it is shared. */
  readonly place: { current: number }
  readonly share: { current: () => void }
}

/** Both runs: one playhead, their pictures one above the other, and what each has cost. */
export function TwoPlaying({ runs, asked, go, place, share }: Props) {
  const [first, second] = runs
  const timeline = useMemo(
    () => commonTimeline(first.recording, second.recording),
    [first.recording, second.recording],
  )
  const playback = usePlayback(timeline, asked.position)
  share.current = useSharing(asked, playback, timeline.isWhole, go)
  const { position } = playback.cursor
  const places = get(timeline.places, position)
  place.current = places[0]
  const { button, row, found } = useTwoFinding(runs, timeline, playback, useFind(asked, go))
  const parting = useParting(runs)
  const { span, zoom } = useSpan(runs)
  useTwoKeys({ playback, zoom, share: () => share.current() })
  const end = Math.max(...runs.map(({ recording }) => endOf(recording)))
  const isOver = timeline.isWhole && position >= timeline.happenings.length
  const now = isOver ? end : timeOf(timeline, playback.cursor)
  return (
    <div className="two-playing">
      <div className="between">
        <Transport recording={timeline} playback={playback} found={found?.positions ?? null}>
          {button}
        </Transport>
        {row}
        <DifferenceNote
          {...{ runs, parting, timeline }}
          isOpen={asked.position === null}
          onSeek={playback.seek}
        />
      </div>
      {runs.map((run, which) => (
        <section key={which === 0 ? 'first' : 'second'} className="two-run" aria-label={titleOf(run)}>
          <ToldStep
            run={run}
            position={get(places, which)}
            isNews={get(places, which) !== timeline.places[position - 1]?.[which === 0 ? 0 : 1]}
          />
          <TwoDiagram
            {...{ run, now, span, zoom }}
            common={{ end, isBare: which === 0 }}
            wanted={found?.wanted ?? null}
            ringed={ringedIn(parting, which)}
            onSeek={(to) => playback.seek(timeline.positionOf(which === 0 ? 0 : 1, to))}
          />
        </section>
      ))}
      <Tallies runs={runs} places={places} />
      {isEmbedded && (
        <Suspense fallback={null}>
          <Embedded run={timeline} playback={playback} />
        </Suspense>
      )}
    </div>
  )
}

/** The first step of a run that the other does not have. */
function ringedIn(parting: Parting, which: number): Ringed | null {
  const { steps } = parting?.difference ?? { steps: [] }
  const step = steps[which] ?? null
  if (step !== null) return { at: step.at, nodes: step.concerns }
  const other = steps[1 - which] ?? null
  return other === null ? null : { at: other.at, nodes: [] }
}

interface DiagramProps {
  readonly run: Run
  readonly now: number
  readonly span: number
  readonly zoom: (by: number) => void
  readonly common: { readonly end: number; readonly isBare: boolean }
  readonly wanted: readonly Wanted[] | null
  readonly ringed: Ringed | null
  readonly onSeek: (position: number) => void
}

function TwoDiagram({ run, now, span, zoom, common, wanted, ringed, onSeek }: DiagramProps) {
  const { recording, world } = run
  const { algorithm } = world.config
  const marks = useMemo(
    () => marksOf(recording.types, Object.keys(algorithm.shapes.messages)),
    [recording, algorithm],
  )
  const lit = useMemo(
    () => (wanted === null ? null : litBy(findSteps(recording.happenings, wanted), wanted)),
    [recording, wanted],
  )
  return (
    <SpaceTimeView
      {...{ recording, now, span, marks, common, ringed, onSeek }}
      isUpright={false}
      scheme={useSchemeName()}
      found={lit}
      shown={undefined}
      onZoom={zoom}
    />
  )
}

/** A step of the whole is found if it is a found step of one of the runs. */
function useTwoFinding(
  runs: readonly [Run, Run],
  timeline: CommonTimeline,
  { cursor, seek }: Playback,
  find: ReturnType<typeof useFind>,
) {
  const search = (wanted: readonly Wanted[]) => {
    const all = runs.flatMap(({ recording }, which) =>
      findSteps(recording.happenings, wanted).map((position) =>
        timeline.positionOf(which === 0 ? 0 : 1, position),
      ),
    )
    return [...new Set(all)].toSorted((a, b) => a - b)
  }
  const types = [...new Set(runs.flatMap(({ world }) => Object.keys(world.config.algorithm.shapes.messages)))]
  return useFinding(find, { run: timeline, types, position: cursor.position, search, onSeek: seek })
}

const ZOOM = 1.4

/** How much time is seen at once: both runs show the same. */
function useSpan(runs: readonly [Run, Run]) {
  const [steps, setSteps] = useState(0)
  const first = Math.max(...runs.map(({ recording }) => firstSpan(recording)))
  const zoom = (by: number) => setSteps((was) => Math.max(-8, Math.min(24, was + by)))
  return { span: first * ZOOM ** steps, zoom }
}

interface Doings {
  readonly playback: Playback
  readonly zoom: (by: number) => void
  readonly share: () => void
}

function useTwoKeys(doings: Doings): void {
  const latest = useRef(doings)
  latest.current = doings
  const group = useMemo<KeyGroup>(
    () => ({
      title: 'Two runs',
      keys: [
        ...playedKeys(latest),
        keyFor(latest)('copy the address of this moment', ['s'], (now) => now.share()),
      ],
    }),
    [],
  )
  useKeys(group)
}

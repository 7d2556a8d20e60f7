import { get } from '@turnwise/core/bounds'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { findSteps, type Wanted } from '../../run/find.ts'
import { type CommonTimeline, commonTimeline } from '../../run/timeline.ts'
import { endOf, firstSpan } from '../../scene/spacetime.ts'
import { isEmbedded } from '../../shell/embedding.ts'
import { type KeyGroup, useKeys } from '../../shell/key-bindings.ts'
import type { RoomProps } from '../rooms.ts'
import { DifferenceNote, type Parting, useParting } from './difference-note.tsx'
import { useFinding } from './finding.tsx'
import { type Hands, LaidHands, useHands } from './laying-hands.tsx'
import { Panel, TABS, type Tab } from './panel.tsx'
import { timeOf } from './playback.ts'
import type { Seen } from './saved.ts'
import type { Ringed } from './spacetime-view.tsx'
import type { Asked } from './theatre-query.ts'
import { Transport } from './transport.tsx'
import { TwoRun, useFoundIn } from './two-run.tsx'
import { Tallies } from './two-told.tsx'
import { useCalm } from './use-calm.ts'
import { useFind } from './use-find.ts'
import { type Playback, usePlayback } from './use-playback.ts'
import type { Run } from './use-run.ts'
import { useSharing } from './use-sharing.ts'
import { handKeys, keyFor, playedKeys } from './use-theatre-keys.ts'
import { useTruth } from './use-truth.ts'
import { type OnHands, useTwoHands, type Which } from './use-two-hands.ts'

const Embedded = lazy(() => import('./embedded.tsx'))

const BOTH: readonly Which[] = [0, 1]

interface Props {
  readonly runs: readonly [Run, Run]
  readonly asked: Asked
  readonly go: RoomProps['go']
  readonly onHands: OnHands
  readonly standing: { current: Standing | null }
}

/** How both runs stand, for the buttons above them. */
export interface Standing {
  readonly timeline: CommonTimeline
  readonly playback: Playback
  /** Of each run. */
  readonly seen: readonly [Seen, Seen]
  readonly share: () => void
}

/** Both runs: one playhead, their pictures one above the other, what each has cost, and the panel of the chosen one. */
export function TwoPlaying(props: Props) {
  const two = useTwo(props)
  const { runs, places, shown, chosen, choose, tab, setTab, toStep, act } = two
  return (
    <div className="playing two-playing">
      <div className="pictures">
        <Above two={two} isOpen={props.asked.position === null} />
        {BOTH.map((which) => (
          <ShownRun key={which} two={two} which={which} />
        ))}
        <Tallies runs={runs} places={places} />
      </div>
      <ChosenPanel
        {...{ run: runs[chosen], tab, ...shown[chosen] }}
        onTab={setTab}
        onSeek={toStep(chosen)}
        onAct={({ acts }) => act(chosen, acts)}
        onStep={() => toStep(chosen)(places[chosen] + 1)}
      />
      {BOTH.map((which) => (
        <LaidHands
          key={which}
          {...{ run: runs[which], ...shown[which] }}
          onAct={({ acts }) => {
            choose(which)
            act(which, acts)
          }}
        />
      ))}
      {isEmbedded && (
        <Suspense fallback={null}>
          <Embedded run={two.timeline} playback={two.playback} />
        </Suspense>
      )}
    </div>
  )
}

/** Where both runs are, and what can be done with them. */
function useTwo({ runs, asked, go, onHands, standing }: Props) {
  const timeline = useMemo(
    () => commonTimeline(runs[0].recording, runs[1].recording),
    [runs[0].recording, runs[1].recording],
  )
  const playback = usePlayback(timeline, asked.position)
  const share = useSharing(asked, playback, timeline.isWhole, go)
  const [seen] = useState<readonly [Seen, Seen]>(() => [unseen(), unseen()])
  standing.current = { timeline, playback, seen, share }
  const places = get(timeline.places, playback.cursor.position)
  const finding = useTwoFinding(runs, timeline, playback, useFind(asked, go))
  const parting = useParting(runs)
  const { span, zoom } = useSpan(runs)
  const shown = useShown(runs, places, playback, finding.found?.wanted ?? null)
  const [chosen, choose] = useState<Which>(0)
  const [tab, setTab] = useState<Tab>('State')
  const act = useTwoHands({ runs, timeline, playback }, onHands)
  useTwoKeys({
    playback,
    zoom,
    nextTab: () => setTab((was) => get(TABS, (TABS.indexOf(was) + 1) % TABS.length)),
    share,
    hands: shown[chosen].hands,
    other: () => choose((was) => (was === 0 ? 1 : 0)),
  })
  const toStep = (which: Which) => (to: number) => playback.seek(timeline.positionOf(which, to))
  const played = { runs, timeline, playback, places, parting, finding, seen }
  return { ...played, span, zoom, shown, chosen, choose, tab, setTab, toStep, act }
}

const unseen = (): Seen => ({ diagram: null, network: null })

type Two = ReturnType<typeof useTwo>

/** The controls, and what is to be said of both. */
function Above({ two, isOpen }: { two: Two; isOpen: boolean }) {
  const { runs, timeline, playback, parting, finding } = two
  return (
    <div className="between">
      <Transport recording={timeline} playback={playback} found={finding.found?.positions ?? null}>
        {finding.button}
      </Transport>
      {finding.row}
      <DifferenceNote {...{ runs, parting, timeline, isOpen }} onSeek={playback.seek} />
      <Refused runs={runs} />
    </div>
  )
}

function ShownRun({ two, which }: { two: Two; which: Which }) {
  const { runs, timeline, playback, places, parting, span, zoom, shown, chosen, choose, toStep } = two
  const { position } = playback.cursor
  const end = Math.max(...runs.map(({ recording }) => endOf(recording)))
  const isOver = timeline.isWhole && position >= timeline.happenings.length
  return (
    <TwoRun
      {...{ span, ...shown[which] }}
      run={runs[which]}
      seen={two.seen[which]}
      now={isOver ? end : timeOf(timeline, playback.cursor)}
      common={{ end, isBare: which === 0 }}
      ringed={ringedIn(parting, which)}
      isNews={places[which] !== timeline.places[position - 1]?.[which]}
      isChosen={which === chosen}
      onChoose={() => choose(which)}
      onSeek={toStep(which)}
      onZoom={zoom}
    />
  )
}

/** What is true in each of the runs, where it is, and what is chosen and found in it. */
function useShown(
  [first, second]: readonly [Run, Run],
  places: readonly [number, number],
  playback: Playback,
  wanted: readonly Wanted[] | null,
) {
  const one = { truth: useTruth(first, places[0]), hands: useHands(first, playback) }
  const two = { truth: useTruth(second, places[1]), hands: useHands(second, playback) }
  const [foundOne, foundTwo] = [useFoundIn(first, wanted), useFoundIn(second, wanted)]
  return [
    { ...one, found: foundOne?.positions ?? null, lit: foundOne?.lit ?? null },
    { ...two, found: foundTwo?.positions ?? null, lit: foundTwo?.lit ?? null },
  ] as const
}

type PanelProps = Parameters<typeof Panel>[0]

/** The panel of one run. It is not drawn with every frame, and a choice in it is for the moment that is shown. */
function ChosenPanel({
  hands,
  ...props
}: Omit<PanelProps, 'selected' | 'diagram' | 'onHandle'> & { readonly hands: Hands }) {
  const latest = useRef({ ...props, hands })
  latest.current = { ...props, hands }
  return (
    <Panel
      {...props}
      truth={useCalm(props.truth, props.run)}
      selected={hands.selected}
      diagram={null}
      onSeek={(to) => latest.current.onSeek(to)}
      onHandle={(target, spot) => latest.current.hands.handle(target, spot)}
      onAct={(offer) => latest.current.onAct(offer)}
      onStep={() => latest.current.onStep()}
    />
  )
}

/** Hands that failed, and what is missing in a record. */
function Refused({ runs }: { runs: readonly [Run, Run] }) {
  const words = runs.flatMap(({ refused, isRecord }) =>
    refused.map((why) => `${isRecord ? 'The record' : 'Not done'}: ${why}.`),
  )
  return words.length === 0 ? null : <p className="difference">{words.join(' ')}</p>
}

/** The first step of a run that the other does not have. */
function ringedIn(parting: Parting, which: Which): Ringed | null {
  const { steps } = parting?.difference ?? { steps: [] }
  const step = steps[which] ?? null
  if (step !== null) return { at: step.at, nodes: step.concerns }
  const other = steps[1 - which] ?? null
  return other === null ? null : { at: other.at, nodes: [] }
}

/** A step of the whole is found if it is a found step of one of the runs. */
function useTwoFinding(
  runs: readonly [Run, Run],
  timeline: CommonTimeline,
  { cursor, seek }: Playback,
  find: ReturnType<typeof useFind>,
) {
  const search = (wanted: readonly Wanted[]) => {
    const all = BOTH.flatMap((which) =>
      findSteps(runs[which].recording.happenings, wanted).map((position) =>
        timeline.positionOf(which, position),
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
  readonly nextTab: () => void
  readonly share: () => void
  readonly hands: Hands
  readonly other: () => void
}

function useTwoKeys(doings: Doings): void {
  const latest = useRef(doings)
  latest.current = doings
  const group = useMemo<KeyGroup>(
    () => ({
      title: 'Two runs',
      keys: [
        ...playedKeys(latest),
        keyFor(latest)('the panel of the other run', ['o'], ({ other }) => other()),
        ...handKeys(latest),
      ],
    }),
    [],
  )
  useKeys(group)
}

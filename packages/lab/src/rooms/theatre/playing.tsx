import { get } from '@turnwise/core/bounds'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import type { Moment } from '../../run/moment.ts'
import type { Offer } from '../../run/offers.ts'
import type { Recording } from '../../run/recording.ts'
import { endOf, firstSpan } from '../../scene/spacetime.ts'
import { type Find, type Finding, type Found, useFinding } from './finding.tsx'
import { LaidHands, useHands } from './laying-hands.tsx'
import { Panel, TABS, type Tab } from './panel.tsx'
import { type Cursor, timeOf } from './playback.ts'
import { Chips } from './properties-tab.tsx'
import type { Seen } from './saved.ts'
import { Sentence } from './sentence.tsx'
import { SpaceTimeView } from './spacetime-view.tsx'
import { Split } from './split.tsx'
import { TopologyView } from './topology-view.tsx'
import { Transport } from './transport.tsx'
import { useCalm } from './use-calm.ts'
import type { Playback } from './use-playback.ts'
import type { Run } from './use-run.ts'
import { useNarrow, useSchemeName } from './use-screen.ts'
import { useTheatreKeys } from './use-theatre-keys.ts'
import { type Truth, useTruth } from './use-truth.ts'

interface Props {
  readonly run: Run
  readonly playback: Playback
  /** Told what is seen, for pictures of it. */
  readonly seen?: Seen
  readonly share: () => void
  /** What is looked for in the run; absent where that would tell too much. */
  readonly find?: Find
  readonly branches: ReactNode
  readonly nextBranch: () => void
  readonly onAct: (offer: Offer) => void
}

/** A run that is there: its two pictures, what is true, and the hands. */
export function Playing({ run, playback, seen, share, find, branches, nextBranch, onAct }: Props) {
  const truth = useTruth(run, playback.cursor.position)
  const calm = useCalm(truth, run)
  // The panel is not drawn with every frame, and a choice in it is for the moment that is shown.
  const latest = useRef({ playback, onAct })
  latest.current = { playback, onAct }
  const isNarrow = useNarrow()
  const [tab, setTab] = useState<Tab>('State')
  const hands = useHands(run, playback)
  const { selected, handle, stage } = hands
  const finding = useFinding(find, searchedIn(run, playback))
  const { found } = finding
  const { diagram, cycleZoom } = useDiagram(run, playback, truth, { isUpright: isNarrow, seen, found })
  useTheatreKeys({
    playback,
    zoom: cycleZoom,
    nextTab: () => setTab((was) => get(TABS, (TABS.indexOf(was) + 1) % TABS.length)),
    nextBranch,
    share,
    hands,
  })
  const { moment, marks, properties, setup: drawn } = truth
  const now = timeOf(run.recording, playback.cursor)
  const between = (
    <Between {...{ run, playback, moment, finding }}>
      <Chips properties={properties} onOpen={() => setTab('Properties')} />
      {branches}
    </Between>
  )
  return (
    <div className="playing">
      <div className="pictures" ref={stage}>
        <Split
          isSplit={!isNarrow}
          first={
            <TopologyView {...{ run, moment, now, marks, selected, seen, setup: drawn }} onHandle={handle} />
          }
          between={between}
          second={diagram}
        />
      </div>
      <Panel
        {...{ run, selected, tab }}
        truth={calm}
        found={found?.positions ?? null}
        onTab={setTab}
        diagram={isNarrow ? diagram : null}
        onSeek={playback.seek}
        onHandle={handle}
        onAct={(offer) => latest.current.onAct(offer)}
        onStep={() => latest.current.playback.step(1)}
      />
      <LaidHands {...{ run, truth, hands, onAct }} />
    </div>
  )
}

interface BetweenProps {
  readonly run: Run
  readonly playback: Playback
  readonly moment: Moment
  readonly finding: Finding
  readonly children: ReactNode
}

/** The line between the pictures: the controls, and what happened last. */
function Between({ run, playback, moment, finding, children }: BetweenProps) {
  const { recording, refused, isRecord } = run
  return (
    <div className="between">
      <Transport {...{ recording, playback }} found={finding.found?.positions ?? null}>
        {finding.button}
      </Transport>
      {finding.row}
      <Sentence {...{ moment, refused, isRecord }} isPlaying={playback.isPlaying} />
      {children}
    </div>
  )
}

function searchedIn({ recording, world }: Run, { cursor, seek }: Playback) {
  const types = Object.keys(world.config.algorithm.shapes.messages)
  return { run: recording, types, position: cursor.position, onSeek: seek }
}

/** At the end of a run what is not over yet is seen to go on. */
function shownTime(recording: Recording, cursor: Cursor): number {
  const isOver = recording.isWhole && cursor.position >= recording.happenings.length
  return isOver ? endOf(recording) : timeOf(recording, cursor)
}

const ZOOM = 1.4

function useDiagram(
  { recording }: Run,
  playback: Playback,
  { marks }: Truth,
  { isUpright, seen, found }: { isUpright: boolean; seen: Seen | undefined; found: Found | null },
) {
  const scheme = useSchemeName()
  const [zoom, setZoom] = useState(0)
  const first = useMemo(() => firstSpan(recording), [recording])
  const diagram = (
    <SpaceTimeView
      {...{ recording, marks, isUpright, scheme, seen }}
      found={found?.lit ?? null}
      now={shownTime(recording, playback.cursor)}
      span={first * ZOOM ** zoom}
      onSeek={playback.seek}
      onZoom={(by) => setZoom((was) => Math.max(-8, Math.min(24, was + by)))}
    />
  )
  return { diagram, cycleZoom: (by: number) => setZoom((was) => Math.max(-8, Math.min(24, was + by))) }
}

import { get } from '@turnwise/core/bounds'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Moment } from '../../run/moment.ts'
import { type Offer, offersFor, type Target, targetText } from '../../run/offers.ts'
import type { Recording } from '../../run/recording.ts'
import { endOf } from '../../scene/spacetime.ts'
import { type Find, type Finding, type Found, useFinding } from './finding.tsx'
import { HandsMenu } from './hands-menu.tsx'
import { type Cursor, timeOf } from './pace.ts'
import { Panel, TABS, type Tab } from './panel.tsx'
import { Chips } from './properties-tab.tsx'
import type { Shown } from './saved.ts'
import { Sentence } from './sentence.tsx'
import { firstSpan, SpaceTimeView } from './spacetime-view.tsx'
import { Split } from './split.tsx'
import { useNarrow, useSchemeName } from './surroundings.ts'
import { type Spot, TopologyView } from './topology-view.tsx'
import { Transport } from './transport.tsx'
import { useCalm } from './use-calm.ts'
import type { Playback } from './use-playback.ts'
import type { Run } from './use-run.ts'
import { useTheatreKeys } from './use-theatre-keys.ts'
import { type Truth, useTruth } from './use-truth.ts'

interface Props {
  readonly run: Run
  readonly playback: Playback
  /** What the diagram shows, for a picture of it. */
  readonly shown?: { current: Shown | null }
  readonly share: () => void
  /** What is looked for in the run; absent where that would tell too much. */
  readonly find?: Find
  readonly branches: ReactNode
  readonly nextBranch: () => void
  readonly onAct: (offer: Offer) => void
}

/** A run that is there: its two pictures, what is true, and the hands. */
export function Playing({ run, playback, shown, share, find, branches, nextBranch, onAct }: Props) {
  const truth = useTruth(run, playback.cursor.position)
  const calm = useCalm(truth, run)
  // The panel is not drawn with every frame, and a choice in it is for the moment that is shown.
  const latest = useRef({ playback, onAct })
  latest.current = { playback, onAct }
  const { setup } = run.world.config
  const isNarrow = useNarrow()
  const [tab, setTab] = useState<Tab>('State')
  const { selected, setSelected, menu, close, handle, stage, handleSelected } = useHands(run, playback)
  const finding = useFinding(find, searchedIn(run, playback))
  const { found } = finding
  const { diagram, cycleZoom } = useDiagram(run, playback, truth, { isUpright: isNarrow, shown, found })
  useTheatreKeys({
    playback,
    zoom: cycleZoom,
    nextTab: () => setTab((was) => get(TABS, (TABS.indexOf(was) + 1) % TABS.length)),
    nextBranch,
    share,
    select: (by) => setSelected((was) => ((was ?? -by) + by + setup.nodes) % setup.nodes),
    handle: handleSelected,
    nextChannel: () => focusNext(stage.current, '[data-link]'),
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
          first={<TopologyView {...{ run, moment, now, marks, selected, setup: drawn }} onHandle={handle} />}
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
      {menu !== null && <Menu {...{ run, truth, menu, close, onAct }} />}
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

interface OpenMenu {
  readonly target: Target
  readonly spot: Spot
}

/** What is chosen, and the menu on it. */
function useHands({ recording }: Run, playback: Playback) {
  const [selected, setSelected] = useState<number | null>(null)
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const stage = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setMenu(null), [])
  const handle = (target: Target, spot: Spot) => {
    playback.pause()
    if (target.is === 'node') setSelected(target.node)
    setMenu({ target, spot })
  }
  const handleSelected = () => {
    const node = selected ?? 0
    const place = stage.current?.querySelector(`[data-node="${node}"]`)?.getBoundingClientRect()
    if (place !== undefined) handle({ is: 'node', node }, { x: place.right, y: place.top })
  }
  // Of another run the same message may be another.
  useEffect(close, [recording.header, close])
  return { selected, setSelected, menu, close, handle, stage, handleSelected }
}

/** At the end of a run what is not over yet is seen to go on. */
function shownTime(recording: Recording, cursor: Cursor): number {
  const isOver = recording.isWhole && cursor.position >= recording.happenings.length
  return isOver ? endOf(recording) : timeOf(recording, cursor)
}

/** Gives the focus to the next of these parts, after the one that has it. */
function focusNext(within: Element | null, parts: string): void {
  const all = [...(within?.querySelectorAll<SVGElement>(parts) ?? [])]
  const current = all.findIndex((part) => part === document.activeElement)
  all[(current + 1) % Math.max(1, all.length)]?.focus()
}

const ZOOM = 1.4

function useDiagram(
  { recording }: Run,
  playback: Playback,
  { marks }: Truth,
  { isUpright, shown, found }: { isUpright: boolean; shown: Props['shown'] | undefined; found: Found | null },
) {
  const scheme = useSchemeName()
  const [zoom, setZoom] = useState(0)
  const first = useMemo(() => firstSpan(recording), [recording])
  const diagram = (
    <SpaceTimeView
      {...{ recording, marks, isUpright, scheme, shown }}
      found={found?.lit ?? null}
      now={shownTime(recording, playback.cursor)}
      span={first * ZOOM ** zoom}
      onSeek={playback.seek}
      onZoom={(by) => setZoom((was) => Math.max(-8, Math.min(24, was + by)))}
    />
  )
  return { diagram, cycleZoom: (by: number) => setZoom((was) => Math.max(-8, Math.min(24, was + by))) }
}

function Menu({
  run,
  truth,
  menu,
  close,
  onAct,
}: {
  run: Run
  truth: Truth
  menu: OpenMenu
  close: () => void
  onAct: (offer: Offer) => void
}) {
  return (
    <HandsMenu
      title={targetText(menu.target, truth.moment.underWay)}
      offers={run.isRecord ? [] : offersFor(menu.target, truth.moment, run.world.config.algorithm)}
      none={
        run.isRecord ? 'This is a recording, so nothing can be changed.' : 'No action is possible here now.'
      }
      spot={menu.spot}
      onChoose={(offer) => {
        close()
        onAct(offer)
      }}
      onClose={close}
    />
  )
}

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { counterAt } from '../../run/counters.ts'
import { momentAt } from '../../run/moment.ts'
import { type Offer, offersFor, type Target, targetText } from '../../run/offers.ts'
import { propertiesAt } from '../../run/properties.ts'
import { protocolNamed, type RunSpec } from '../../run/spec.ts'
import { marksOf } from '../../scene/legend.ts'
import type { RoomProps } from '../rooms.ts'
import { BranchList } from './branches.tsx'
import { HandsMenu } from './hands-menu.tsx'
import { timeOf } from './pace.ts'
import { Panel, type Tab } from './panel.tsx'
import { Chips } from './properties-tab.tsx'
import { readQuery, writeQuery } from './query.ts'
import { Sentence } from './sentence.tsx'
import { MoreSettings, Settings } from './settings.tsx'
import { firstSpan, SpaceTimeView } from './spacetime-view.tsx'
import { Split } from './split.tsx'
import './theatre.css'
import { useNarrow, useSchemeName } from './surroundings.ts'
import { type Spot, TopologyView } from './topology-view.tsx'
import { Transport } from './transport.tsx'
import { useBranches, useForkArrival } from './use-branches.ts'
import { usePlayback } from './use-playback.ts'
import { type Run, useRun } from './use-run.ts'
import { useSharing } from './use-sharing.ts'
import { useTheatreKeys } from './use-theatre-keys.ts'

/** Pick an algorithm, watch it, break it. */
export default function Theatre({ query, go }: RoomProps) {
  const asked = useMemo(() => readQuery(query), [query])
  const { run, complaint } = useRun(asked.spec, asked.hands)
  const playback = usePlayback(run?.recording ?? null, asked.position)
  const { branches, index, act, fork } = useBranches(asked.spec, asked.hands)
  useForkArrival(run, fork, playback.jump)
  const share = useSharing(asked, playback, run !== null, go)
  const change = (spec: RunSpec) => {
    playback.jump(0)
    go(writeQuery({ spec, hands: [], position: null }))
  }
  const toBranch = (to: number) =>
    go(writeQuery({ ...asked, hands: branches[to].hands, position: playback.cursor.position }))
  const protocol = protocolOrNull(asked.spec.algorithm)
  return (
    <main className="theatre">
      <h1 className="visually-hidden">Theatre</h1>
      <div className="settings-row">
        <Settings spec={asked.spec} protocol={protocol} onChange={change} />
        <details className="more">
          <summary>More</summary>
          {protocol !== null && <MoreSettings spec={asked.spec} protocol={protocol} onChange={change} />}
        </details>
        <a className="open-trace" href="#/theatre?of=file">
          Open a trace
        </a>
        <button type="button" className="share" onClick={share}>
          Share
        </button>
      </div>
      {complaint !== null && (
        <p className="complaint" role="alert">
          {complaint}
        </p>
      )}
      {run === null && complaint === null && <p className="hint loading">The run is being played…</p>}
      {run !== null && (
        <Playing
          key="playing"
          run={run}
          playback={playback}
          share={share}
          branches={<BranchList branches={branches} current={index} onChoose={toBranch} />}
          nextBranch={() => toBranch((index + 1) % branches.length)}
          onAct={({ acts }) => {
            const hands = act(run, playback.cursor, acts)
            go(writeQuery({ ...asked, hands, position: null }))
          }}
        />
      )}
    </main>
  )
}

function protocolOrNull(name: string) {
  try {
    return protocolNamed(name)
  } catch {
    // Told by the run that cannot be played.
    return null
  }
}

export interface PlayingProps {
  readonly run: Run
  readonly playback: ReturnType<typeof usePlayback>
  readonly share: () => void
  readonly branches: React.ReactNode
  readonly nextBranch: () => void
  /** Null for a run that was recorded: nothing can be done to it. */
  readonly onAct: ((offer: Offer) => void) | null
}

const ZOOM = 1.4

export function Playing({ run, playback, share, branches, nextBranch, onAct }: PlayingProps) {
  const { recording, world, spec } = run
  const { algorithm, setup } = world.config
  const { cursor } = playback
  const isNarrow = useNarrow()
  const scheme = useSchemeName()
  const [tab, setTab] = useState<Tab>('State')
  const [selected, setSelected] = useState<number | null>(null)
  const [menu, setMenu] = useState<{ target: Target; spot: Spot } | null>(null)
  const [zoom, setZoom] = useState(0)
  const stage = useRef<HTMLDivElement>(null)
  const marks = useMemo(() => marksOf(recording.types), [recording])
  const moment = useMemo(
    () => momentAt(recording, cursor.position, algorithm),
    [recording, cursor.position, algorithm],
  )
  const properties = useMemo(() => propertiesAt(recording, moment, algorithm), [recording, moment, algorithm])
  const counter = useMemo(
    () => counterAt(recording, moment, algorithm, setup, spec.load),
    [recording, moment, algorithm, setup, spec],
  )
  const span = useMemo(() => firstSpan(recording), [recording]) * ZOOM ** zoom
  const now = timeOf(recording, cursor)
  const close = useCallback(() => setMenu(null), [])
  const handle = (target: Target, spot: Spot) => {
    playback.pause()
    if (target.is === 'node') setSelected(target.node)
    if (onAct !== null) setMenu({ target, spot })
  }
  useEffect(() => setMenu(null), [recording])
  useTheatreKeys({
    playback,
    zoom: () => setZoom((was) => (was >= 6 ? -4 : was + 1)),
    nextTab: () => setTab((was) => TABS[(TABS.indexOf(was) + 1) % TABS.length]),
    nextBranch,
    share,
    select: (by) => setSelected((was) => ((was ?? -by) + by + setup.nodes) % setup.nodes),
    handle: () => {
      const element = stage.current?.querySelector(`[data-node="${selected ?? 0}"]`)
      const place = element?.getBoundingClientRect()
      if (place !== undefined) handle({ is: 'node', node: selected ?? 0 }, { x: place.right, y: place.top })
    },
  })
  const diagram = (
    <SpaceTimeView
      recording={recording}
      now={now}
      span={span}
      marks={marks}
      isUpright={isNarrow}
      scheme={scheme}
      onSeek={playback.seek}
      onZoom={(by) => setZoom((was) => Math.max(-8, Math.min(24, was + by)))}
    />
  )
  return (
    <div className="playing">
      <div className="pictures" ref={stage}>
        <Split
          isSplit={!isNarrow}
          first={
            <TopologyView
              run={run}
              moment={moment}
              now={now}
              marks={marks}
              selected={selected}
              onHandle={handle}
            />
          }
          between={
            <div className="between">
              <Transport recording={recording} playback={playback} />
              <Sentence moment={moment} isPlaying={playback.isPlaying} refused={run.refused} />
              <Chips properties={properties} onOpen={() => setTab('Properties')} />
              {branches}
            </div>
          }
          second={diagram}
        />
      </div>
      <Panel
        run={run}
        moment={moment}
        marks={marks}
        properties={properties}
        counter={counter}
        selected={selected}
        tab={tab}
        onTab={setTab}
        diagram={isNarrow ? diagram : null}
        onSeek={playback.seek}
        onHandle={handle}
      />
      {menu !== null && (
        <HandsMenu
          title={targetText(menu.target, moment.underWay)}
          offers={offersFor(menu.target, moment, algorithm)}
          spot={menu.spot}
          onChoose={(offer) => {
            setMenu(null)
            onAct?.(offer)
          }}
          onClose={close}
        />
      )}
    </div>
  )
}

const TABS: readonly Tab[] = ['State', 'Properties', 'Messages', 'Log']

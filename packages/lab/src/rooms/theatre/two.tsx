import { lazy, useMemo, useState } from 'react'
import { fitted } from '../../run/fitted.ts'
import type { Hand } from '../../run/hand.ts'
import { type Words, wordsOf } from '../../run/recorded-words.ts'
import { playable, type RunSpec } from '../../run/spec.ts'
import type { RoomProps } from '../rooms.ts'
import { type Beside, readBeside, withShared, writeBeside } from './beside.ts'
import { Later } from './later.tsx'
import { OpeningBar } from './open-button.tsx'
import { RunMenu } from './run-menu.tsx'
import { AlgorithmPicker, MoreSettings, Settings } from './settings.tsx'
import { type Asked, readQuery, writeQuery } from './theatre-query.ts'
import './two.css'
import { type Standing, TwoPlaying } from './two-playing.tsx'
import { useOpened } from './use-opened.ts'
import { type Run, useRun } from './use-run.ts'
import type { OnHands } from './use-two-hands.ts'

const EmbedText = lazy(() => import('./embed-text.tsx'))
const SaveBoth = lazy(() => import('./save-both.tsx'))

/** Two runs on one axis of time, from the same seed; each may be a record instead. */
export default function Two({ query, go }: RoomProps) {
  const asked = useMemo(() => readQuery(query), [query])
  const first = useSource(asked.trace, asked.spec, asked.hands)
  const words = asked.trace === undefined ? asked : wordsOfRecord(first.run)
  const spec = words === null || typeof words === 'string' ? null : words.spec
  const beside = readBeside(asked.beside ?? '', spec ?? asked.spec)
  const second = useSource(beside.trace, spec === null ? null : beside.spec, beside.hands)
  const [standing] = useState<{ current: Standing | null }>({ current: null })
  const isAlone = typeof words === 'string' && beside.trace === undefined
  const complaint = first.complaint ?? (isAlone ? `${words}, ${ALONE}` : second.complaint)
  const notes = [...new Set([...first.notes, ...second.notes])]
  const opening = first.opening ?? second.opening
  const onHands: OnHands = (which, hands, position) =>
    go(writeQuery(which === 0 ? { ...asked, hands, position } : { ...asked, ...besideWith(hands), position }))
  const besideWith = (hands: readonly Hand[]) => ({
    beside: writeBeside({ ...beside, hands }, spec ?? asked.spec),
  })
  return (
    <main className="theatre two">
      <h1 className="visually-hidden">Theatre: two runs</h1>
      <div className="settings-row">
        <TwoSettings
          {...{ asked, go, beside }}
          spec={spec ?? first.run?.spec ?? asked.spec}
          second={second.run}
        />
        <TwoButtons
          runs={first.run === null || second.run === null ? null : [first.run, second.run]}
          standing={standing}
          stop={() => go(writeQuery({ ...asked, beside: undefined, position: placeOfFirst(standing) }))}
        />
      </div>
      {complaint !== null && (
        <p className="complaint" role="alert">
          {complaint}
        </p>
      )}
      {notes.length > 0 && (
        <p className="adjusted" role="status">
          {notes.join(' ')}
        </p>
      )}
      {opening !== null && <OpeningBar opening={opening} onStop={null} />}
      {complaint === null && opening === null && (first.run === null || second.run === null) && (
        <p className="hint loading">Playing both runs…</p>
      )}
      {complaint === null && first.run !== null && second.run !== null && (
        <TwoPlaying runs={[first.run, second.run]} {...{ asked, go, onHands, standing }} />
      )}
    </main>
  )
}

const ALONE = 'so no run can be played for it: only another record can stand beside it'

function wordsOfRecord(run: Run | null): Words | string | null {
  return run === null ? null : wordsOf(run.recording, run.spec)
}

/** A run that is played, or a record; `notes` say what was changed so that it can be played. */
function useSource(trace: string | undefined, spec: RunSpec | null, hands: readonly Hand[]) {
  const key = JSON.stringify(spec)
  // The key says all that the words say.
  const fit = useMemo(() => (spec === null ? null : fitted(spec)), [key])
  const played = useRun(trace === undefined ? (fit?.spec ?? null) : null, hands)
  const opened = useOpened(trace)
  return trace === undefined
    ? { ...played, opening: null, notes: fit?.notes ?? [] }
    : { ...opened, notes: [] }
}

/** Where the first run is shown: leaving the second one does not lose the place. */
function placeOfFirst({ current }: Standings): number {
  return current?.timeline.places[current.playback.cursor.position]?.[0] ?? 0
}

interface Standings {
  readonly current: Standing | null
}

interface ButtonProps {
  readonly runs: readonly [Run, Run] | null
  /** Read when a button is pressed. */
  readonly standing: Standings
  readonly stop: () => void
}

function TwoButtons({ runs, standing, stop }: ButtonProps) {
  return (
    <div className="run-buttons">
      <RunMenu isFolded>
        <Later name="Embed">{() => <EmbedText />}</Later>
        <Later name="Save as" onOpen={() => standing.current?.playback.pause()}>
          {() => (runs === null ? null : <SaveBoth {...{ runs, standing }} />)}
        </Later>
        <button type="button" onClick={() => standing.current?.share()}>
          Share
        </button>
      </RunMenu>
      <button type="button" onClick={stop}>
        Stop comparing
      </button>
    </div>
  )
}

interface SettingsProps {
  readonly asked: Asked
  /** The words of the first run, or of its record. */
  readonly spec: RunSpec
  readonly beside: Beside
  readonly second: Run | null
  readonly go: RoomProps['go']
}

/** What each run has for itself, and what both have together. A record that is changed is a run from then on. */
function TwoSettings({ asked, spec, beside, second, go }: SettingsProps) {
  const isRecord = beside.trace !== undefined
  const besideSpec = isRecord ? (second?.spec ?? spec) : beside.spec
  const protocolOf = ({ algorithm }: RunSpec) => playable.find(({ facts }) => facts.name === algorithm)
  const show = (first: RunSpec, next: Beside) => {
    const isSame = JSON.stringify(first) === JSON.stringify(spec)
    const kept = isSame ? asked : { ...asked, trace: undefined, spec: first, hands: [] }
    go(writeQuery({ ...kept, position: null, beside: writeBeside(next, first) }))
  }
  // The words of the second run are read again, from those of the changed first one.
  const changeFirst = (to: RunSpec) => show(to, { ...readBeside(asked.beside ?? '', to), hands: [] })
  const changeSecond = (to: RunSpec) => show(withShared(spec, to), { spec: to, hands: [] })
  const [first, other] = [protocolOf(spec), protocolOf(besideSpec)]
  return (
    <>
      <Settings spec={spec} protocol={first ?? null} onChange={changeFirst} />
      {first !== undefined && (
        <details className="more">
          <summary>More</summary>
          <MoreSettings spec={spec} protocol={first} onChange={changeFirst} />
        </details>
      )}
      <div className="settings">
        <AlgorithmPicker
          name="Compared with"
          value={besideSpec.algorithm}
          onChange={(name) => changeSecond(readBeside(name, spec).spec)}
        />
      </div>
      {other !== undefined && !isRecord && (
        <details className="more">
          <summary>More of the second</summary>
          <MoreSettings spec={beside.spec} protocol={other} onChange={changeSecond} />
        </details>
      )}
    </>
  )
}

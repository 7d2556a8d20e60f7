import { lazy, Suspense, useMemo, useState } from 'react'
import { fitted } from '../../run/fitted.ts'
import { playable, type RunSpec } from '../../run/spec.ts'
import type { RoomProps } from '../rooms.ts'
import { type Beside, readBeside, withShared, writeBeside } from './beside.ts'
import { Later } from './later.tsx'
import { type Asked, readQuery, writeQuery } from './query.ts'
import { AlgorithmPicker, MoreSettings, Settings } from './settings.tsx'
import './two.css'
import { TwoPlaying } from './two-playing.tsx'
import { useRun } from './use-run.ts'

const EmbedText = lazy(() => import('./embed-text.tsx'))

/** Two runs on one axis of time, from the same seed. */
export default function Two({ query, go }: RoomProps) {
  const asked = useMemo(() => readQuery(query), [query])
  const beside = readBeside(asked.beside ?? '', asked.spec)
  const [fit, besideFit] = [useFitted(asked.spec), useFitted(beside.spec)]
  const first = useRun(fit.spec, asked.hands)
  const second = useRun(besideFit.spec, beside.hands)
  // Where the first run is shown now: leaving the second one does not lose the place.
  const [place] = useState({ current: 0 })
  const [share] = useState<{ current: () => void }>({ current: () => {} })
  const complaint = first.complaint ?? second.complaint
  const notes = [...new Set([...fit.notes, ...besideFit.notes])]
  return (
    <main className="theatre two">
      <h1 className="visually-hidden">Theatre: two runs</h1>
      <div className="settings-row">
        <TwoSettings asked={asked} beside={beside} go={go} />
        <div className="run-buttons">
          <Later name="Embed">
            {() => (
              <Suspense fallback={null}>
                <EmbedText />
              </Suspense>
            )}
          </Later>
          <button type="button" onClick={() => share.current()}>
            Share
          </button>
          <button
            type="button"
            onClick={() => go(writeQuery({ ...asked, beside: undefined, position: place.current }))}
          >
            Stop comparing
          </button>
        </div>
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
      {complaint === null && (first.run === null || second.run === null) && (
        <p className="hint loading">Playing both runs…</p>
      )}
      {complaint === null && first.run !== null && second.run !== null && (
        <TwoPlaying runs={[first.run, second.run]} {...{ asked, go, place, share }} />
      )}
    </main>
  )
}

/** What each run has for itself, and what both have together. */
function TwoSettings({ asked, beside, go }: { asked: Asked; beside: Beside; go: RoomProps['go'] }) {
  const protocols = [asked.spec, beside.spec].map(({ algorithm }) =>
    playable.find(({ facts }) => facts.name === algorithm),
  )
  const show = (spec: RunSpec, second: RunSpec, hands = beside.hands) => {
    const isSame = JSON.stringify(spec) === JSON.stringify(asked.spec)
    const next = { ...asked, spec, hands: isSame ? asked.hands : [], position: null }
    go(writeQuery({ ...next, beside: writeBeside({ spec: second, hands }, spec) }))
  }
  // The words of the second run are read again, from those of the changed first one.
  const changeFirst = (spec: RunSpec) => show(spec, readBeside(asked.beside ?? '', spec).spec, [])
  const changeSecond = (spec: RunSpec) => show(withShared(asked.spec, spec), spec, [])
  const [first, second] = protocols
  return (
    <>
      <Settings spec={asked.spec} protocol={first ?? null} onChange={changeFirst} />
      {first !== undefined && (
        <details className="more">
          <summary>More</summary>
          <MoreSettings spec={asked.spec} protocol={first} onChange={changeFirst} />
        </details>
      )}
      <div className="settings">
        <AlgorithmPicker
          name="Compared with"
          value={beside.spec.algorithm}
          onChange={(name) => changeSecond(readBeside(name, asked.spec).spec)}
        />
      </div>
      {second !== undefined && (
        <details className="more">
          <summary>More of the second</summary>
          <MoreSettings spec={beside.spec} protocol={second} onChange={changeSecond} />
        </details>
      )}
    </>
  )
}

function useFitted(spec: RunSpec) {
  const key = JSON.stringify(spec)
  // The key says all that the words say.
  return useMemo(() => fitted(spec), [key])
}

import tokens from '../../design/tokens.css?raw'
import { STAGE } from '../../scene/shot.ts'
import { Save } from '../save.tsx'
import './take-away.css'
import { FilmButton, type Filmed } from './film-button.tsx'
import { filmPainter } from './film-painter.ts'
import { timeOf } from './playback.ts'
import { formsOf, type Leaving, type Seen } from './saved.ts'
import { shotOf } from './shot-of-run.ts'
import network from './topology.css?raw'
import { runLayout } from './topology-view.tsx'
import type { Playback } from './use-playback.ts'
import type { Run } from './use-run.ts'
import { runMarks, truthAt } from './use-truth.ts'

interface Size {
  readonly width: number
  readonly height: number
}

interface Props {
  readonly run: Run
  readonly seen: Seen
  readonly playback: Pick<Playback, 'cursor' | 'speed'>
}

/** What leaves of a run at a position; `now` is its time in ticks. */
export function leavingOf(run: Run, seen: Seen, position: number, now: number, stage: Size): Leaving {
  return {
    recording: run.recording,
    seen,
    shot: shotOf(run, truthAt(run, position, runMarks(run)), runLayout(run, stage), now),
    scheme: document.documentElement.dataset['scheme'] === 'dark' ? 'dark' : 'light',
    sheets: { tokens, network },
    address: window.location.href,
  }
}

/** The run in the forms that other tools read. */
export default function SaveAs({ run, seen, playback }: Props) {
  const { recording, world } = run
  const { name } = world.config.algorithm.facts
  if (!recording.isWhole) return <p className="hint">The run is still being played.</p>
  const { cursor, speed } = playback
  const leaving = () => leavingOf(run, seen, cursor.position, timeOf(recording, cursor), STAGE)
  const filmed: Filmed = { name, timeline: recording, painter: (scheme) => filmPainter(run, scheme) }
  return (
    <div className="take-away">
      {formsOf(leaving).map(({ label, ending, type, text }) => (
        <Save key={ending} label={label} name={`${name}.${ending}`} type={type} text={text} />
      ))}
      <FilmButton {...{ filmed, speed }} position={cursor.position} />
      <p className="hint">
        The pictures have the part of the diagram, and the network, that you see. <em>Both</em> adds the
        sentence and the properties. <code>turnwise replay</code> and <em>Open a trace</em> read a trace.
        ShiViz and Mermaid have the whole run. A film shows the chosen steps at the speed of the theatre, and
        takes as long to record.
      </p>
    </div>
  )
}

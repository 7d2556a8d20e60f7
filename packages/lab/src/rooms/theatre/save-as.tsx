import tokens from '../../design/tokens.css?raw'
import { Save } from '../save.tsx'
import './take-away.css'
import { FilmButton } from './film-button.tsx'
import { formsOf, type Shown } from './saved.ts'
import type { Run } from './use-run.ts'

/** The run in the forms that other tools read. */
export default function SaveAs({
  run,
  shown,
  speed,
}: {
  run: Run
  shown: { readonly current: Shown | null }
  speed: number
}) {
  const { recording, world } = run
  const { algorithm } = world.config
  if (!recording.isWhole) return <p className="hint">The run is still being played.</p>
  const leaving = () => ({
    recording,
    declared: Object.keys(algorithm.shapes.messages),
    shown: shown.current,
    scheme: document.documentElement.dataset['scheme'] === 'dark' ? ('dark' as const) : ('light' as const),
    tokens,
    address: window.location.href,
  })
  return (
    <div className="take-away">
      {formsOf(leaving()).map(({ label, ending, type }) => (
        <Save
          key={ending}
          label={label}
          name={`${algorithm.facts.name}.${ending}`}
          type={type}
          // What is seen may have changed since the menu was drawn.
          text={() =>
            formsOf(leaving())
              .find((form) => form.ending === ending)
              ?.text() ?? ''
          }
        />
      ))}
      <FilmButton run={run} speed={speed} />
      <p className="hint">
        SVG and TikZ have the part of the diagram that you see. <code>turnwise replay</code> and{' '}
        <em>Open a trace</em> read a trace; ShiViz and Mermaid have the whole run. A film shows all of it at
        the speed of the theatre, and takes as long to record.
      </p>
    </div>
  )
}

import { catalogue } from '@turnwise/algorithms/catalogue'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { useEffect, useMemo, useRef } from 'react'
import { comparisonFigure } from '../../chart/comparison-figure.ts'
import { drawCharts } from '../../chart/draw-charts.ts'
import { darkStyles } from '../../chart/palette.ts'
import { algorithmTitle } from '../../run/algorithm-title.ts'
import type { RoomProps } from '../rooms.ts'
import { Save } from '../save.tsx'
import { useSize } from '../theatre/size.ts'
import './compare.css'
import { ComparisonForm } from './comparison-form.tsx'
import { csvOf } from './csv.ts'
import { type Comparison, readComparison } from './sweep.ts'
import { ComparisonTable } from './table.tsx'
import { type Measurement, useMeasurement } from './use-measurement.ts'

/** The same algorithm has the same colour in every figure. */
const colourOf = (name: string): number => catalogue.findIndex(({ facts }) => facts.name === name)

const DARK = darkStyles(':root[data-scheme="dark"] .compare .chart')

export default function Compare({ query, go }: RoomProps) {
  // An address is a text: the same text asks for the same comparison, and for no new measurement.
  const asked = JSON.stringify(query)
  const { comparison, complaint } = useMemo(() => read(JSON.parse(asked)), [asked])
  const measurement = useMeasurement(comparison)
  return (
    <main className="compare">
      <header>
        <h1>Side by side</h1>
        <p>
          All algorithms get the same requests, the same seeds and the same network. Any difference comes from
          the algorithm.
        </p>
      </header>
      <ComparisonForm key={asked} query={query} onMeasure={(next) => go(next)} />
      {complaint !== null && (
        <p role="alert" className="complaint">
          {complaint}
        </p>
      )}
      {comparison !== null && <Progress measurement={measurement} />}
      {measurement.reports.length > 0 && <Results measurement={measurement} />}
    </main>
  )
}

function read(query: RoomProps['query']): { comparison: Comparison | null; complaint: string | null } {
  try {
    const comparison = readComparison(query)
    if (comparison.algorithms.length === 0) return { comparison: null, complaint: 'Choose an algorithm.' }
    return { comparison, complaint: null }
  } catch (error) {
    if (error instanceof InvalidInput) return { comparison: null, complaint: error.message }
    throw error
  }
}

function Progress({ measurement }: { measurement: Measurement & { stop: () => void } }) {
  const { reports, refused, planned, isRunning, trouble, stop } = measurement
  const done = reports.length + refused.length
  return (
    <div className="compare-progress">
      {isRunning && (
        <>
          <progress max={planned} value={done} aria-label="Runs measured" />
          <button type="button" onClick={stop}>
            Stop
          </button>
        </>
      )}
      <p aria-live="polite" className="figures">
        {trouble === null
          ? isRunning
            ? `${done} of ${planned} runs`
            : `${done} of ${planned} runs measured`
          : `Measuring ended: ${trouble}`}
      </p>
      <LeftOut refused={refused} />
    </div>
  )
}

function LeftOut({ refused }: Pick<Measurement, 'refused'>) {
  const reasons = [...new Set(refused.map(({ run, why }) => `${algorithmTitle(run.algorithm)}: ${why}`))]
  if (reasons.length === 0) return null
  return (
    <details>
      <summary>
        {reasons.length === 1 ? 'One thing' : `${reasons.length} things`} could not be measured
      </summary>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </details>
  )
}

/** As a sheet and not as an element: the server of the page forbids inline styles. */
function adoptDark(): () => void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(DARK)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet)
  }
}

function Results({ measurement: { reports } }: { measurement: Measurement }) {
  const frame = useRef<HTMLElement>(null)
  const width = useSize(frame)?.width
  const figure = useMemo(() => comparisonFigure(reports, colourOf, algorithmTitle), [reports])
  // What is saved does not depend on the window.
  const shown = useMemo(() => (width === undefined ? '' : drawCharts({ ...figure, width })), [figure, width])
  useEffect(adoptDark, [])
  return (
    <section aria-label="Results">
      {/* The figure is text of our own making, with all it was given escaped. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: where it is wider than the window, it is scrolled by key. */}
      <section
        ref={frame}
        className="chart"
        aria-label="Figure"
        tabIndex={0}
        dangerouslySetInnerHTML={{ __html: shown }}
      />
      <p className="compare-save">
        <Save
          name="comparison.svg"
          type="image/svg+xml"
          text={() => drawCharts(figure)}
          label="Save as SVG"
        />
        <Save name="comparison.csv" type="text/csv" text={() => csvOf(reports)} label="Save as CSV" />
      </p>
      <ComparisonTable reports={reports} />
    </section>
  )
}

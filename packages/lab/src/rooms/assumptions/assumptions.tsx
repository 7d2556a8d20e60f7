import grid from 'virtual:assumptions'
import { DROPPED } from '@turnwise/workshop/dropped-assumptions'
import { useEffect, useRef } from 'react'
import { documentsAt } from '../../shell/documents.ts'
import type { RoomProps } from '../rooms.ts'
import './assumptions.css'
import { CellDetail } from './cell-detail.tsx'
import { GridTable } from './grid-table.tsx'
import { type Filter, filterOf, nameOf, placeNamed, shownBy } from './records.ts'

/** Every algorithm without each of its assumptions. */
export default function AssumptionsRoom({ query, go }: RoomProps) {
  const filter = filterOf(query)
  const { rows, columns } = shownBy(grid, filter)
  const chosen = placeNamed(query['cell'])
  const detail = useRef<HTMLElement>(null)
  const cell = chosen === null ? undefined : nameOf(chosen)
  const before = useRef(cell)
  useEffect(() => {
    if (before.current === cell) return
    before.current = cell
    // In a narrow window it stands above the table.
    detail.current?.scrollIntoView({ block: 'nearest' })
    detail.current?.focus({ preventScroll: true })
  }, [cell])
  const change = (changes: Partial<Filter>) => go({ ...filter, ...changes, cell }, 'replace')
  return (
    <main className="assumptions">
      <header>
        <h1>What each assumption is for</h1>
        <p>
          Every algorithm assumes something about messages and nodes. The checker dropped one assumption at a
          time, and visited every interleaving of small worlds.
        </p>
      </header>
      <Filters filter={filter} onChange={change} />
      <div className="assumptions-body">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
        <section ref={detail} className="assumptions-detail" aria-label="The chosen cell" tabIndex={0}>
          {chosen === null ? <Legend /> : <CellDetail key={nameOf(chosen)} place={chosen} />}
        </section>
        <GridTable
          {...{ rows, columns }}
          chosen={cell ?? null}
          onChoose={(place) => go({ ...filter, cell: nameOf(place) })}
        />
      </div>
    </main>
  )
}

const RESULTS = ['unsafe', 'blocks', 'holds', 'open'] as const

function Filters({ filter, onChange }: { filter: Filter; onChange: (changes: Partial<Filter>) => void }) {
  return (
    <form className="assumptions-filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Algorithm
        <input
          type="search"
          value={filter.algorithm}
          placeholder="all"
          onChange={(event) => onChange({ algorithm: event.target.value })}
        />
      </label>
      <label>
        Without
        <select value={filter.without} onChange={(event) => onChange({ without: event.target.value })}>
          <option value="">all assumptions</option>
          {DROPPED.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Then
        <select value={filter.result} onChange={(event) => onChange({ result: event.target.value })}>
          <option value="">anything</option>
          {RESULTS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </form>
  )
}

function Legend() {
  const document = documentsAt('docs/assumptions.html')
  return (
    <>
      <h2>Choose a cell</h2>
      <p>It shows each property, the command that decides it, and the shortest run if it fails.</p>
      <dl className="assumptions-legend">
        <dt data-is="unsafe">✗ unsafe</dt>
        <dd>
          Two are inside, or there are two tokens, or a fence falls. Or a handler meets a case that its paper
          excludes.
        </dd>
        <dt data-is="blocks">✗ blocks</dt>
        <dd>Somebody waits for ever, but two are never inside together.</dd>
        <dt data-is="holds">✓ holds</dt>
        <dd>Every property holds in these worlds. This is no proof for larger ones.</dd>
        <dt data-is="open">? open</dt>
        <dd>Nothing fails, but some properties are not decided.</dd>
        <dt data-is="not assumed">–</dt>
        <dd>The algorithm works without it from the start.</dd>
      </dl>
      {document !== null && <a href={document}>The same as a document</a>}
    </>
  )
}

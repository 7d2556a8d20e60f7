import grid from 'virtual:assumptions'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import type { Dropped, Standing } from '@turnwise/workshop/dropped-assumptions'
import { nameOf, type Place, standingAt } from './records.ts'

interface Props {
  readonly rows: readonly AnyProtocol[]
  readonly columns: readonly Dropped[]
  /** The name of the chosen cell. */
  readonly chosen: string | null
  readonly onChoose: (place: Place) => void
}

const SIGNS: Readonly<Record<Standing['is'], string>> = {
  unsafe: '✗',
  blocks: '✗',
  holds: '✓',
  open: '?',
  'not assumed': '–',
}

/** Algorithms by assumptions; each cell can be chosen. */
export function GridTable({ rows, columns, chosen, onChoose }: Props) {
  if (rows.length === 0) return <p className="hint">No algorithm matches.</p>
  const groups = [
    { title: null, list: rows.filter((each) => !isElection(each)) },
    { title: 'Elections', list: rows.filter(isElection) },
  ]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className="assumptions-table" aria-label="The grid" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{rows.length === 1 ? '1 algorithm' : `${rows.length} algorithms`}</th>
            {columns.map(({ name, title }) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map(({ title, list }) => (
          <tbody key={title}>
            {title !== null && list.length > 0 && (
              <tr>
                <th scope="rowgroup" colSpan={columns.length + 1} className="group">
                  {title}
                </th>
              </tr>
            )}
            {list.map((algorithm) => (
              <tr key={algorithm.facts.name}>
                <th scope="row">
                  {algorithm.facts.title} <small>{algorithm.facts.year}</small>
                </th>
                {columns.map((dropped) => (
                  <GridCell
                    key={dropped.name}
                    place={{ algorithm, dropped }}
                    isChosen={chosen === nameOf({ algorithm, dropped })}
                    onChoose={onChoose}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  )
}

function GridCell({
  place,
  isChosen,
  onChoose,
}: {
  place: Place
  isChosen: boolean
  onChoose: (place: Place) => void
}) {
  const { is } = standingAt(grid, place)
  if (is === 'not assumed')
    return (
      <td data-is={is}>
        <span aria-hidden="true">–</span>
        <span className="visually-hidden">not assumed</span>
      </td>
    )
  return (
    <td data-is={is}>
      <button
        type="button"
        aria-pressed={isChosen}
        aria-label={`${place.algorithm.facts.title}, ${place.dropped.title}: ${is}`}
        onClick={() => onChoose(place)}
      >
        {SIGNS[is]} {is}
      </button>
    </td>
  )
}

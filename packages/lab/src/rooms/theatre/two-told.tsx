import { get } from '@turnwise/core/bounds'
import { reasonsOf } from '@turnwise/core/trace/sentence'
import { useMemo } from 'react'
import { sentenceOf } from '../../run/event-sentences.ts'
import { variantNamed } from '../../run/spec.ts'
import { type Tally, tallyOf } from '../../run/tally.ts'
import { variantTitle } from '../../run/variant-title.ts'
import { isEmbedded } from '../../shell/embedding.ts'
import type { Run } from './use-run.ts'

/** The algorithm, and what is not as it is by itself. */
export function titleOf({ spec, hands, world, isRecord }: Run): string {
  const variant = variantNamed(spec.algorithm)
  const { facts } = world.config.algorithm
  const title = variant === null ? facts.title : variantTitle(variant)
  const own = [spec.topology, spec.quorum, spec.structure, spec.channels, ...spec.set].filter(
    (word) => word !== undefined,
  )
  const acts =
    hands.length === 0
      ? []
      : [hands.length === 1 ? 'with one action by hand' : `with ${hands.length} actions by hand`]
  return [title, ...(isRecord ? ['recorded'] : own), ...acts].join(', ')
}

interface Told {
  readonly run: Run
  readonly position: number
  /** Whether the last step was its own. */
  readonly isNews: boolean
  readonly isChosen: boolean
  readonly onChoose: () => void
}

/** What happened last in one of the runs, and why; faint if the last step was only the other's. Its name chooses it. */
export function ToldStep({ run, position, isNews, isChosen, onChoose }: Told) {
  const last = run.recording.happenings[position - 1]
  const why = last === undefined ? '' : reasonsOf(last).join(' ')
  const told = last === undefined ? 'nothing has happened yet' : sentenceOf(last)
  return (
    <header className={isNews ? 'told' : 'told old'}>
      <h2>
        {isEmbedded ? (
          titleOf(run)
        ) : (
          <button type="button" aria-pressed={isChosen} title="Shown in the panel (o)" onClick={onChoose}>
            {titleOf(run)}
          </button>
        )}
      </h2>
      <p title={why}>
        {/^\d/.test(told) ? `Node ${told}` : told.charAt(0).toUpperCase() + told.slice(1)}.{' '}
        <span className="reasons">{why}</span>
      </p>
    </header>
  )
}

/** What both runs have cost so far, and in all. */
export function Tallies({ runs, places }: { runs: readonly [Run, Run]; places: readonly [number, number] }) {
  return (
    <table className="tallies">
      <caption className="visually-hidden">What each run has cost: so far, and in the whole run</caption>
      <thead>
        <tr>
          <th scope="col">So far / whole run</th>
          {COLUMNS.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run, which) => (
          <TallyRow key={which === 0 ? 'first' : 'second'} run={run} position={get(places, which)} />
        ))}
      </tbody>
    </table>
  )
}

function TallyRow({ run, position }: { run: Run; position: number }) {
  const { recording } = run
  const tally = useMemo(() => tallyOf(recording), [recording])
  const [now, all] = [tally(position), tally(recording.happenings.length)]
  return (
    <tr>
      <th scope="row">{titleOf(run)}</th>
      {COLUMNS.map(({ title, of }) => (
        <td key={title} className="figures">
          {of(now)} <span>/ {of(all)}</span>
        </td>
      ))}
    </tr>
  )
}

const orDash = (value: number | null) => (value === null ? '–' : value.toFixed(2))

const COLUMNS: readonly { readonly title: string; readonly of: (tally: Tally) => string }[] = [
  { title: 'Messages', of: ({ messages }) => String(messages) },
  { title: 'Entries', of: ({ entries }) => String(entries) },
  {
    title: 'Messages per entry',
    of: ({ perEntry, hasWaiting }) => orDash(perEntry) + (hasWaiting ? ' with those that wait' : ''),
  },
  { title: 'Mean wait', of: ({ meanWait }) => orDash(meanWait) },
]

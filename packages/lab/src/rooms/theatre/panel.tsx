import type { AnyProtocol } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type KeyboardEvent, lazy, memo, type ReactNode, Suspense } from 'react'
import { citation } from '../../run/citation.ts'
import type { Offer } from '../../run/offers.ts'
import { variantNamed } from '../../run/spec.ts'
import { variantTitle } from '../../run/variant-title.ts'
import { writeAddress } from '../../shell/address.ts'
import { documentsAt } from '../../shell/documents.ts'
import { queryOf } from '../checking/check-question.ts'
import { LogTab } from './log-tab.tsx'
import { CounterText, MessagesTab } from './messages-tab.tsx'
import { PropertiesTab } from './properties-tab.tsx'
import { StateTab } from './state-tab.tsx'
import type { Handle } from './topology-view.tsx'
import type { Run } from './use-run.ts'
import type { Truth } from './use-truth.ts'

export const TABS: readonly Tab[] = ['State', 'Code', 'Next', 'Properties', 'Messages', 'Log']

export type Tab = 'State' | 'Code' | 'Next' | 'Properties' | 'Messages' | 'Log' | 'Diagram'

// Nobody needs them for the first picture.
const NextTab = lazy(() => import('./next-tab.tsx'))
const CodeTab = lazy(() => import('./code-tab.tsx'))

interface Props {
  readonly run: Run
  readonly truth: Truth
  readonly selected: number | null
  readonly tab: Tab
  /** The positions of the steps that were looked for; null if nothing is. */
  readonly found: readonly number[] | null
  readonly onTab: (tab: Tab) => void
  /** Where there is no room for it beside the topology. */
  readonly diagram: ReactNode
  readonly onSeek: (position: number) => void
  readonly onHandle: Handle
  readonly onAct: (offer: Offer) => void
  readonly onStep: () => void
}

/**
 * The state of this moment, in words and figures. Between two events it does not change, however many frames are drawn.
 * The functions stay the same for one run.
 */
export const Panel = memo(
  PanelOf,
  (before, now) =>
    before.run === now.run &&
    before.truth === now.truth &&
    before.tab === now.tab &&
    before.selected === now.selected &&
    before.found === now.found &&
    before.diagram === now.diagram,
)

function PanelOf(props: Props) {
  const { run, truth, tab, onTab, diagram } = props
  const { counter, properties } = truth
  const { facts } = run.world.config.algorithm
  const tabs: readonly Tab[] = diagram === null ? TABS : ['State', 'Diagram', ...TABS.slice(1)]
  const shown = tabs.includes(tab) ? tab : 'State'
  const failing = properties.filter(({ holds }) => holds === false).length
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const next = get(tabs, (tabs.indexOf(shown) + by + tabs.length) % tabs.length)
    onTab(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <aside className="panel" aria-label="This moment">
      <h2 className="visually-hidden">This moment</h2>
      <About facts={facts} />
      <CounterText counter={counter} />
      <div className="tabs" role="tablist" aria-label="Views of this moment" onKeyDown={move}>
        {tabs.map((name) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={name === shown}
            aria-controls="tab-panel"
            tabIndex={name === shown ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {name}
            {name === 'Properties' && failing > 0 && <span className="alarm"> {failing}✗</span>}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <div className="tab-panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${shown}`} tabIndex={0}>
        <Shown {...props} tab={shown} />
      </div>
    </aside>
  )
}

function About({ facts }: Pick<AnyProtocol, 'facts'>) {
  const variant = variantNamed(facts.name)
  return (
    <details className="about" open>
      <summary>
        <strong>{variant === null ? facts.title : variantTitle(variant)}</strong>{' '}
        <span className="figures">{facts.year}</span>
      </summary>
      {variant === null ? (
        <p>
          {facts.idea}
          <More name={facts.name} />
        </p>
      ) : (
        <p>
          This is {facts.title} with one rule changed. The check finds{' '}
          <a href={writeAddress({ room: 'check', query: queryOf(variant) })}>in which world it fails</a>
          {variant.published === null ? '.' : `. The rule as published: ${citation(variant.published)}.`}
        </p>
      )}
    </details>
  )
}

/** Its page, where the lab is a part of the site. */
function More({ name }: { name: string }) {
  const page = documentsAt(`algorithms/${name}.html`)
  return page === null ? null : (
    <>
      {' '}
      <a href={page}>Its page</a>
    </>
  )
}

function Shown({ run, truth, selected, tab, found, diagram, onSeek, onHandle, onAct, onStep }: Props) {
  const { moment, marks, properties, counter } = truth
  switch (tab) {
    case 'State':
      return (
        <StateTab
          moment={moment}
          recording={run.recording}
          protocol={run.world.config.algorithm}
          selected={selected}
        />
      )
    case 'Code':
      return (
        <Suspense fallback={<p className="hint">Loading the code…</p>}>
          <CodeTab run={run} moment={moment} />
        </Suspense>
      )
    case 'Next':
      return (
        <Suspense fallback={null}>
          <NextTab {...{ run, truth, onAct, onStep }} />
        </Suspense>
      )
    case 'Properties':
      return <PropertiesTab properties={properties} onShow={onSeek} />
    case 'Messages':
      return <MessagesTab moment={moment} marks={marks} counter={counter} onHandle={onHandle} />
    case 'Log':
      return <LogTab recording={run.recording} found={found} position={moment.position} onSeek={onSeek} />
    case 'Diagram':
      return diagram
  }
}

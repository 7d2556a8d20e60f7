import { useState } from 'react'
import type { LiveLock, LiveNode, LiveView } from '../../live/live-view.ts'
import './live.css'
import { whyNobody } from '../../live/why-nobody.ts'
import { algorithmTitle } from '../../run/algorithm-title.ts'
import { Recordings } from './recordings.tsx'
import { order, useLive } from './use-live.ts'

/** The current state of a mesh of real processes. */
export default function Live() {
  const { view, status } = useLive()
  if (view === null) return <Nothing status={status} />
  return (
    <main className="live">
      <header>
        <h1>{view.title}</h1>
        <p aria-live="polite">
          {status === 'lost' ? 'The connection is lost: this page shows the last known state. ' : ''}
          {standing(view)}
        </p>
        {view.place !== null && <Place place={view.place} />}
      </header>
      <dl className="live-figures">
        <Figure title={`turns a second${whose(view, 'callers of')}`} value={view.turnsPerSecond} />
        <Figure title={`messages a second${whose(view, 'sent by')}`} value={view.messagesPerSecond} />
      </dl>
      <div className="live-columns">
        <div className="live-standing">
          <Locks view={view} />
          <Nodes view={view} />
          <Recordings names={view.recorded} />
        </div>
        <Happenings happenings={view.happenings} />
      </div>
    </main>
  )
}

function Happenings({ happenings }: Pick<LiveView, 'happenings'>) {
  return (
    <section aria-label="What happened">
      <h2>Latest events</h2>
      <ol className="live-log" reversed>
        {happenings.toReversed().map(({ text, isTrouble }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place, and lines are only added.
          <li key={happenings.length - index} data-trouble={isTrouble}>
            {text}
          </li>
        ))}
      </ol>
    </section>
  )
}

function standing({ view, algorithm, lease, place }: LiveView): string {
  if (view === null)
    return place === null
      ? 'There is no view: no lock is granted until a majority of the voters is up.'
      : `There is no view: no lock is granted until the members have met at ${place.name}.`
  const { epoch, members } = view
  const take = members.length === 1 ? 'takes turns' : 'take turns'
  const by = algorithm === null ? '' : ` by ${algorithmTitle(algorithm)}`
  return `View ${epoch}: ${members.join(', ')} ${take}${by}, lease ${lease / 1000} s.`
}

/** The place is asked when members come, go or renew their lease. While it is away turns go on until the leases end. */
function Place({ place: { name, silentFor, why } }: { place: NonNullable<LiveView['place']> }) {
  return (
    <p className="hint" data-trouble={silentFor !== null}>
      The members meet at {name}
      {silentFor === null ? ', which answers.' : `, which has not answered for ${seconds(silentFor)}: ${why}`}
    </p>
  )
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const whose = ({ figuresOf }: LiveView, how: string): string =>
  figuresOf === null ? '' : `, ${how} ${figuresOf}`

function Nothing({ status }: { status: 'connecting' | 'watching' | 'lost' | 'nobody' }) {
  return (
    <main className="live">
      <h1>Live</h1>
      {status === 'connecting' ? (
        <p className="hint">Looking for a mesh…</p>
      ) : (
        <>
          <p>This page was not served by a mesh. To watch real processes take turns:</p>
          <pre>
            <code>npx turnwise up --allow-faults</code>
          </pre>
          <p>
            It prints an address. That page shows which nodes hold and wait for locks, and lets you kill a
            process.
          </p>
          <p>A daemon serves the same view of its own mesh, read-only:</p>
          <pre>
            <code>npx turnwise node --config a.json --page</code>
          </pre>
        </>
      )}
    </main>
  )
}

function Figure({ title, value }: { title: string; value: number | null }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className="figures">{shown(value)}</dd>
    </div>
  )
}

const shown = (value: number | null): string =>
  value === null ? '–' : value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 })

/** Answers that take longer are worth a word. */
const OLD_MS = 2000

function Locks({ view }: { view: LiveView }) {
  const { locks, locksAge, more, circles } = view
  return (
    <section aria-label="Locks">
      <h2>Locks</h2>
      <p className="hint">
        The fence rises with every grant. A resource that remembers the highest fence it has seen can refuse a
        holder that comes late.
      </p>
      {locksAge === null && <p className="hint">Asking the members…</p>}
      {locksAge !== null && locksAge > OLD_MS && (
        <p className="hint">
          Not all members answer: this is the state they reported {Math.round(locksAge / 1000)} s ago.
        </p>
      )}
      {circles.map((circle) => (
        <p key={circle} className="hint" data-trouble={true}>
          Deadlock: {circle}
        </p>
      ))}
      {locks.length > 0 && <LockTable view={view} />}
      {locks.length === 0 && locksAge !== null && <p className="hint">Nobody holds or waits.</p>}
      {more > 0 && <p className="hint">and {more.toLocaleString('en-US')} more</p>}
    </section>
  )
}

function Name({ name, notes }: Pick<LiveLock, 'name' | 'notes'>) {
  return (
    <th scope="row">
      {name}
      {notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two callers may say the same.
        <p key={index} className="live-note hint">
          {note}
        </p>
      ))}
    </th>
  )
}

function LockTable({ view }: { view: LiveView }) {
  const { locks } = view
  const countsTurns = locks.some(({ turns }) => turns !== null)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it scrolls sideways, and the keyboard has to reach it.
    <section className="live-scroll" aria-label="Locks, as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Inside</th>
            <th scope="col">
              Waiting<span className="live-order">, longest first</span>
            </th>
            <th scope="col">Fence</th>
            {countsTurns && (
              <th scope="col" className="live-turns">
                Turns
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {locks.map(({ name, holders, waiters, waiting, notes, fence, turns }) => (
            <tr key={name}>
              <Name name={name} notes={notes} />
              <td>
                {holders.length === 0
                  ? (whyNobody(view, { holders, waiting }) ?? '–')
                  : holders.map((id, index) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: one node may hold several times.
                      <span key={index} className="live-holder">
                        {id}
                      </span>
                    ))}
              </td>
              <td>
                {waiters.map((id, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: one node may wait several times.
                  <span key={index} className="live-waiter">
                    {id}
                  </span>
                ))}
                {waiting > waiters.length && ` and ${shown(waiting - waiters.length)} more`}
              </td>
              <td className="figures">{fence ?? '–'}</td>
              {countsTurns && <td className="figures live-turns">{shown(turns)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Nodes({ view: { nodes, lease } }: { view: LiveView }) {
  const [complaint, setComplaint] = useState<string | null>(null)
  const act = (id: string, deed: string) =>
    void order(id, deed).then(setComplaint, () => setComplaint('not reached'))
  return (
    <section aria-label="Nodes">
      <h2>Nodes</h2>
      <p className="hint">
        A node that falls silent keeps its locks until its lease has ended. Then the others form a view
        without it.
      </p>
      <div className="live-nodes">
        {nodes.map((node) => (
          <Node key={node.id} node={node} lease={lease} onAct={(deed) => act(node.id, deed)} />
        ))}
      </div>
      {complaint !== null && (
        <p role="alert" className="complaint">
          {complaint}
        </p>
      )}
    </section>
  )
}

/** The signs of nodes in the theatre: a cross for a crashed node, two bars for a paused one. */
const SIGNS: Readonly<Record<string, string>> = { killed: 'M2 2L10 10M10 2L2 10', paused: 'M4 1V11M8 1V11' }

function Sign({ state }: { state: string }) {
  const path = SIGNS[state]
  if (path === undefined) return null
  return (
    <svg className="live-sign" width="12" height="12" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

function Node({ node, lease, onAct }: { node: LiveNode; lease: number; onAct: (deed: string) => void }) {
  return (
    <article data-in={node.isIn} aria-label={`Node ${node.id}`}>
      <h3>
        {node.id} <Sign state={node.state} /> <span>{node.state}</span>
      </h3>
      {node.zone !== null && (
        <p className="live-zone">
          zone <b>{node.zone}</b>
        </p>
      )}
      {node.leaseLeft !== null && (
        <label>
          lease <meter min={0} max={lease} value={Math.max(0, node.leaseLeft)} />
        </label>
      )}
      {node.turns !== null && (
        <p className="figures">
          {shown(node.turns)} {node.turns === 1 ? 'turn' : 'turns'}
          {node.turnsPerSecond === null ? '' : `, ${shown(node.turnsPerSecond)}/s`}
        </p>
      )}
      {node.deeds.length > 0 && (
        <p className="live-deeds">
          {node.deeds.map((deed) => (
            <button key={deed} type="button" onClick={() => onAct(deed)}>
              {deed}
            </button>
          ))}
        </p>
      )}
    </article>
  )
}

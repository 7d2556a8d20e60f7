import type { AnyProtocol } from '@turnwise/core/algorithm'
import { Fragment } from 'react'
import type { Moment, NodeMoment } from '../../run/moment.ts'
import type { Recording } from '../../run/recording.ts'
import { nodeText, statusText } from '../../scene/node-shape.ts'
import { nameOf } from './glossary.ts'
import { hasRecords, shownFields, Value } from './value.tsx'

/** Nobody reads more cards than this. Then only chosen nodes and nodes with news are shown. */
const MOST_CARDS = 9

/** Each node's variables under the paper's names, with what the last step changed. */
export function StateTab({
  moment,
  recording,
  protocol,
  selected,
}: {
  moment: Moment
  recording: Recording
  protocol: AnyProtocol
  selected: number | null
}) {
  const { nodes } = moment
  const shown =
    nodes.length <= MOST_CARDS
      ? nodes
      : nodes
          .filter(({ node, isActive, status }) => node === selected || isActive || status === 'inside')
          .slice(0, MOST_CARDS)
  if (recording.noStates !== null)
    return <p className="hint">The states of the nodes are unknown. {recording.noStates}</p>
  return (
    <div className="cards">
      {moment.view !== null && (
        <p className="hint">
          View {moment.view.epoch} of {moment.view.members.length} nodes. Every view starts the algorithm
          anew, with its own order of nodes for ties: {moment.view.members.join(', ')}.
        </p>
      )}
      {shown.map((node, place) => (
        // By its place: cards of a crowd are about other nodes with every event, and hold the same fields.
        <Card key={place} moment={node} protocol={protocol} why={whyNoState(node, recording)} />
      ))}
      {shown.length < nodes.length && (
        <p className="hint">
          {nodes.length - shown.length} of {nodes.length} nodes are not listed: choose one in the picture.
        </p>
      )}
    </div>
  )
}

/** Why the variables of one node are not known at a moment; null if they are, or there is nothing to say. */
function whyNoState({ node, state, status }: NodeMoment, { untold, views }: Recording): string | null {
  if (state !== null) return null
  if (untold.includes(node)) return 'There is no record of this node.'
  if (status === 'absent') return null
  return views.length > 0 ? 'This node is in no view, so it has no variables.' : null
}

function Card({ moment, protocol, why }: { moment: NodeMoment; protocol: AnyProtocol; why: string | null }) {
  const { node, state, before, status, isActive } = moment
  return (
    <section className={isActive ? 'card active' : 'card'} aria-label={nodeText(moment)}>
      <h3>
        <span className={`badge ${status}`}>{node}</span> {statusText(moment)}
      </h3>
      {why !== null && <p className="hint">{why}</p>}
      <dl>
        <TokenRow moment={moment} protocol={protocol} />
        {shownFields(state ?? {}).map(([field, value]) => {
          const old = (before as Record<string, unknown> | null)?.[field]
          const isChanged = before !== null && old !== value
          const name = nameOf(protocol.facts.name, field)
          return (
            <div key={field} className={isChanged ? 'changed' : undefined}>
              <dt title={name.about}>
                <Breakable name={name.paper ?? field} />
                {name.paper !== null && name.paper.toLowerCase() !== field.toLowerCase() && (
                  <small>{field}</small>
                )}
              </dt>
              <dd className={isChanged && (hasRecords(old) || hasRecords(value)) ? 'apart' : undefined}>
                {isChanged && (
                  <del>
                    <span className="visually-hidden">before: </span>
                    <Value value={old} shape={protocol.shapes.state[field]} />
                  </del>
                )}
                <Value value={value} shape={protocol.shapes.state[field]} />
              </dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}

/** A long name goes on in the next line after an underscore, and not within a word. */
function Breakable({ name }: { name: string }) {
  return name.split(/(?<=_)/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the name.
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}

/** To have the fence is to have the token, where an algorithm keeps it so: that is what a reader wants to know. */
function TokenRow({
  moment: { state, before },
  protocol: { tokens },
}: {
  moment: NodeMoment
  protocol: AnyProtocol
}) {
  if (tokens === undefined || state === null || !('fence' in state)) return null
  const has = tokens.held(state) > 0
  const isChanged = before !== null && tokens.held(before) > 0 !== has
  return (
    <div className={isChanged ? 'changed' : undefined}>
      <dt>has the token</dt>
      <dd>
        {isChanged && <del>{has ? 'no' : 'yes'}</del>}
        {has ? 'yes' : 'no'}
      </dd>
    </div>
  )
}

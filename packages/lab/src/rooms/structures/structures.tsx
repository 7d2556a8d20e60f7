import type { NodeId } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Structure } from '@turnwise/core/structure/structure'
import { validate } from '@turnwise/core/structure/validate'
import { useMemo, useState } from 'react'
import { type Query, writeAddress } from '../../shell/address.ts'
import type { RoomProps } from '../rooms.ts'
import { Designer } from './designer.tsx'
import {
  DEFAULT_STRUCTURE,
  MOST_EDITED_NODES,
  nextRelation,
  readStructure,
  relationOf,
  resized,
  withRelation,
  writeStructure,
} from './editing.ts'
import { Costs, Judgement } from './judgement.tsx'
import { Matrix } from './matrix.tsx'
import { Legend, Picture } from './picture.tsx'
import './structures.css'

const CLASSICS = [
  { text: 'figure-2', title: 'Two favoured nodes (Figure 2)' },
  { text: 'central', title: 'Central coordinator (Figure 1a)' },
  { text: 'ricart-agrawala', title: 'Ricart-Agrawala (Figure 1b)' },
  { text: 'maekawa', title: 'Maekawa (Figure 1c)' },
  { text: 'figure-3a', title: 'Not safe (Figure 3a)' },
  { text: 'figure-3b', title: 'Not safe (Figure 3b)' },
]

export default function Structures({ query, go }: RoomProps) {
  const { structure, complaint } = read(query)
  return (
    <main className="structures">
      <header>
        <h1>Information structures</h1>
        <p>
          The nodes that a node tells (its inform set I) and asks (its request set R) decide whether mutual
          exclusion holds and what it costs.
        </p>
      </header>
      <div className="structure-tools">
        <Beginning query={query} go={go} />
        {structure !== null && <Tools structure={structure} go={go} />}
      </div>
      {complaint !== null && (
        <p role="alert" className="complaint">
          {complaint}
        </p>
      )}
      {structure !== null && <Editor structure={structure} go={go} />}
    </main>
  )
}

function Beginning({ query, go }: RoomProps) {
  const text = query['structure'] ?? DEFAULT_STRUCTURE
  return (
    <label>
      Begin with{' '}
      <select
        value={CLASSICS.some((classic) => classic.text === text) ? text : ''}
        onChange={(event) => go({ structure: event.target.value })}
      >
        <option value="" disabled>
          your own
        </option>
        {CLASSICS.map((classic) => (
          <option key={classic.text} value={classic.text}>
            {classic.title}
          </option>
        ))}
      </select>
    </label>
  )
}

function Tools({ structure, go }: { structure: Structure; go: RoomProps['go'] }) {
  const { structure: text } = writeStructure(structure)
  const inTheatre = writeAddress({
    room: 'theatre',
    query: { algorithm: 'sanders', nodes: String(structure.nodes), structure: text },
  })
  const resize = (nodes: number) => go(writeStructure(resized(structure, nodes)))
  return (
    <>
      <button
        type="button"
        disabled={structure.nodes >= MOST_EDITED_NODES}
        onClick={() => resize(structure.nodes + 1)}
      >
        Add a node
      </button>
      <button type="button" disabled={structure.nodes <= 1} onClick={() => resize(structure.nodes - 1)}>
        Remove the last
      </button>
      <a className="button" href={inTheatre}>
        Run it in the theatre
      </a>
    </>
  )
}

function read(query: Query): { structure: Structure | null; complaint: string | null } {
  try {
    return { structure: readStructure(query), complaint: null }
  } catch (error) {
    if (error instanceof InvalidInput) return { structure: null, complaint: error.message }
    throw error
  }
}

function Editor({ structure, go }: { structure: Structure; go: RoomProps['go'] }) {
  const [wished, setChosen] = useState<NodeId | null>(null)
  // It may have been removed since.
  const chosen = wished !== null && wished < structure.nodes ? wished : null
  const verdict = useMemo(() => validate(structure), [structure])
  const flaw = verdict.flaws[0] ?? null
  const change = (next: Structure) => go(writeStructure(next))
  const cycle = (from: NodeId, to: NodeId) =>
    change(withRelation(structure, from, to, nextRelation(relationOf(structure, from, to))))
  return (
    <div className="structure-rooms">
      <section aria-label="The structure" className="structure-picture">
        <Picture structure={structure} chosen={chosen} flaw={flaw} onChoose={setChosen} onCycle={cycle} />
        <Legend structure={structure} flaw={flaw} />
        <p className="structure-hint" aria-live="polite">
          {chosen === null
            ? 'Choose a node, then press another to change the relation between the two.'
            : `Node ${chosen} is chosen. Press another node: ${chosen} then asks it, asks and tells it, or tells it.`}{' '}
          {chosen !== null && (
            <button type="button" onClick={() => setChosen(null)}>
              Done
            </button>
          )}
        </p>
      </section>
      <div className="structure-truth">
        <Judgement verdict={verdict} />
        <div className="structure-tables">
          <Matrix structure={structure} onCycle={cycle} />
          <Costs structure={structure} />
        </div>
        <Designer structure={structure} onUse={change} />
      </div>
    </div>
  )
}

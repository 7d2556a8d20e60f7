import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Structure } from '@turnwise/core/structure/structure'
import type { Flaw } from '@turnwise/core/structure/validate'
import { type CSSProperties, useMemo } from 'react'
import {
  DASHES,
  drawBareStructure,
  type Kind,
  kindsOf,
  layoutStructure,
  NODE_RADIUS,
  type Place,
} from '../../chart/draw-structure.ts'
import { relationOf } from './editing.ts'

/** A structure as the paper draws it. With a node chosen, a click on another changes the relation between the two. */
export function Picture(props: {
  structure: Structure
  chosen: NodeId | null
  flaw: Flaw | null
  onChoose: (node: NodeId | null) => void
  onCycle: (from: NodeId, to: NodeId) => void
}) {
  const { structure, chosen, flaw, onChoose, onCycle } = props
  const { width, height, places } = layoutStructure(structure.nodes)
  const svg = useMemo(() => drawBareStructure(structure), [structure])
  const press = (node: NodeId) => (chosen === null ? onChoose(node) : onCycle(chosen, node))
  const label = (node: NodeId) =>
    chosen === null
      ? `Node ${node}: choose it`
      : `${chosen} to ${node}: ${relationOf(structure, chosen, node)}; change it`
  return (
    <div className="structure-drawing" style={{ '--width': width, '--height': height } as CSSProperties}>
      <div aria-hidden="true" dangerouslySetInnerHTML={{ __html: svg }} />
      <svg viewBox={`0 0 ${width} ${height}`} className="structure-hands">
        <title>Nodes</title>
        {flaw !== null && (
          <line
            className="structure-flaw"
            {...betweenRims(get(places, flaw.pair[0]), get(places, flaw.pair[1]))}
          />
        )}
        {places.map(({ x, y }, node) => (
          // biome-ignore lint/a11y/useSemanticElements: a button element cannot stand in a drawing.
          <circle
            // biome-ignore lint/suspicious/noArrayIndexKey: a node is its number.
            key={node}
            role="button"
            tabIndex={0}
            aria-label={label(node)}
            aria-pressed={node === chosen}
            className={node === chosen ? 'chosen' : undefined}
            cx={x}
            cy={y}
            r={NODE_RADIUS + 3}
            onClick={() => press(node)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === ' ') {
                event.preventDefault()
                press(node)
              } else if (event.key === 'Escape') onChoose(null)
            }}
          />
        ))}
      </svg>
    </div>
  )
}

const WORDS: Readonly<Record<Kind, string>> = {
  'inform and request': 'asks and tells (I R)',
  'request only': 'only asks (R)',
  'inform only': 'only tells (I)',
}

/** How the lines of this drawing are read, in the words and letters of the table beside it. */
export function Legend({ structure, flaw }: { structure: Structure; flaw: Flaw | null }) {
  return (
    <ul className="structure-legend" aria-label="Lines">
      {kindsOf(structure).map((kind) => (
        <li key={kind}>
          <Sample dashes={DASHES[kind] ?? undefined} />
          {WORDS[kind]}
        </li>
      ))}
      {flaw !== null && (
        <li>
          <Sample className="structure-flaw" />
          where condition {flaw.condition} fails
        </li>
      )}
    </ul>
  )
}

const Sample = ({ dashes, className }: { dashes?: string | undefined; className?: string }) => (
  <svg width="36" height="8" aria-hidden="true">
    <line x1="0" y1="4" x2="36" y2="4" strokeDasharray={dashes} className={className} />
  </svg>
)

/** A line between two nodes that leaves their names to be read. */
function betweenRims(one: Place, other: Place): { x1: number; y1: number; x2: number; y2: number } {
  const length = Math.hypot(other.x - one.x, other.y - one.y)
  const dx = ((other.x - one.x) / length) * NODE_RADIUS
  const dy = ((other.y - one.y) / length) * NODE_RADIUS
  return { x1: one.x + dx, y1: one.y + dy, x2: other.x - dx, y2: other.y - dy }
}

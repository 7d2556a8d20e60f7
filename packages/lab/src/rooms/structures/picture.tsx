import type { NodeId } from '@turnwise/core/algorithm'
import type { Structure } from '@turnwise/core/structure/structure'
import type { Flaw } from '@turnwise/core/structure/validate'
import { useMemo } from 'react'
import { drawStructure, layoutStructure, NODE_RADIUS, type Place } from '../../chart/draw-structure.ts'
import { relationOf } from './editing.ts'

/** A structure as the paper draws it; with a node chosen, a click on another changes what it has to do with that. */
export function Picture(props: {
  structure: Structure
  chosen: NodeId | null
  flaw: Flaw | null
  onChoose: (node: NodeId | null) => void
  onCycle: (from: NodeId, to: NodeId) => void
}) {
  const { structure, chosen, flaw, onChoose, onCycle } = props
  const { width, height, places } = layoutStructure(structure.nodes, '')
  const svg = useMemo(() => drawStructure(structure, ''), [structure])
  const press = (node: NodeId) => (chosen === null ? onChoose(node) : onCycle(chosen, node))
  const label = (node: NodeId) =>
    chosen === null
      ? `Node ${node}: choose it`
      : `${chosen} to ${node}: ${relationOf(structure, chosen, node)}; change it`
  return (
    <div className="structure-picture" style={{ maxWidth: Math.max(width * 1.5, 420) }}>
      <div aria-hidden="true" dangerouslySetInnerHTML={{ __html: svg }} />
      <svg viewBox={`0 0 ${width} ${height}`} className="structure-hands">
        <title>Nodes</title>
        {flaw !== null && (
          <line className="structure-flaw" {...betweenRims(places[flaw.pair[0]], places[flaw.pair[1]])} />
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

/** A line between two nodes that leaves their names to be read. */
function betweenRims(one: Place, other: Place): { x1: number; y1: number; x2: number; y2: number } {
  const length = Math.hypot(other.x - one.x, other.y - one.y)
  const dx = ((other.x - one.x) / length) * NODE_RADIUS
  const dy = ((other.y - one.y) / length) * NODE_RADIUS
  return { x1: one.x + dx, y1: one.y + dy, x2: other.x - dx, y2: other.y - dy }
}

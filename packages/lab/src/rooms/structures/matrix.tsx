import type { NodeId } from '@turnwise/core/algorithm'
import type { Structure } from '@turnwise/core/structure/structure'
import type { CSSProperties } from 'react'
import { type Relation, relationOf } from './editing.ts'

const SIGNS: Record<Relation, string> = { none: '·', asks: 'R', 'asks and tells': 'I R', tells: 'I' }

/** The same structure as a table: which node tells (I) and asks (R) which. Every cell is a button. */
export function Matrix({
  structure,
  onCycle,
}: {
  structure: Structure
  onCycle: (from: NodeId, to: NodeId) => void
}) {
  const nodes = [...Array(structure.nodes).keys()]
  return (
    <section
      aria-label="Sets"
      className="structure-sets"
      style={{ '--nodes': structure.nodes } as CSSProperties}
    >
      <h2>Which node asks and tells which</h2>
      <p id="matrix-words" className="structure-hint">
        Row: the node that asks (R) or tells (I). Column: the node that is asked or told. Press a cell to
        change it.
      </p>
      <div className="structure-scroll">
        <table className="structure-matrix figures" aria-describedby="matrix-words">
          <thead>
            <tr>
              <td />
              {nodes.map((to) => (
                <th key={to} scope="col">
                  {to}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {nodes.map((from) => (
              <tr key={from}>
                <th scope="row">{from}</th>
                {nodes.map((to) => {
                  const relation = relationOf(structure, from, to)
                  return (
                    <td key={to}>
                      <button type="button" data-relation={relation} onClick={() => onCycle(from, to)}>
                        <span aria-hidden="true">{SIGNS[relation]}</span>
                        <span className="visually-hidden">{`${from} to ${to}: ${relation}`}</span>
                      </button>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

import type { Branches } from '../../run/forks.ts'
import type { Hand } from '../../run/hand.ts'

/** The ways in which the run went on; each stays and can be looked at again. */
export function BranchList({
  branches,
  current,
  onChoose,
  onCompare,
}: {
  branches: Branches
  current: number
  onChoose: (index: number) => void
  /** Shows the run that the current branch left beside it. */
  onCompare: (left: readonly Hand[]) => void
}) {
  if (branches.length < 2) return null
  const left = branches[branches[current]?.parent ?? -1]
  return (
    <nav className="branches" aria-label="Branches">
      <span aria-hidden="true">Branches</span>
      <ol>
        {branches.map(({ label, parent, forkedAt }, index) => (
          <li key={`${parent} ${forkedAt} ${label}`}>
            <button type="button" aria-pressed={index === current} onClick={() => onChoose(index)}>
              {label}
              {parent !== null && <small className="figures"> @{forkedAt}</small>}
            </button>
          </li>
        ))}
      </ol>
      {left !== undefined && (
        <button type="button" onClick={() => onCompare(left.hands)}>
          Compare with the run it left
        </button>
      )}
    </nav>
  )
}

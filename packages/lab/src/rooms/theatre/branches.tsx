import type { Branches } from '../../run/forks.ts'

/** The ways in which the run went on; each stays and can be looked at again. */
export function BranchList({
  branches,
  current,
  onChoose,
}: {
  branches: Branches
  current: number
  onChoose: (index: number) => void
}) {
  if (branches.length < 2) return null
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
    </nav>
  )
}

import { get } from '@turnwise/core/bounds'
import { lazy } from 'react'
import type { Branches } from '../../run/forks.ts'
import type { RunSpec } from '../../run/spec.ts'
import type { RoomProps } from '../rooms.ts'
import { Later } from './later.tsx'
import type { Asked } from './query.ts'

const CompareWith = lazy(() => import('./compare-with.tsx'))

interface Props {
  readonly asked: Asked
  /** The words of the run that is shown; null for a record that does not say them. */
  readonly spec: RunSpec | null
  readonly branches: Branches
  readonly index: number
  readonly go: RoomProps['go']
  /** Asks for a record to stand beside the run. */
  readonly onRecord: () => void
}

/** Chooses a second run, or a record, to stand beside the one that is shown. */
export function CompareButton({ asked, spec, branches, index, go, onRecord }: Props) {
  const parent = asked.trace === undefined ? (branches[index]?.parent ?? null) : null
  const left = parent === null ? null : get(branches, parent).hands
  return <Later name="Compare with…">{() => <CompareWith {...{ asked, spec, left, go, onRecord }} />}</Later>
}

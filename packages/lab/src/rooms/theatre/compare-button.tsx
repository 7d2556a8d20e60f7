import { get } from '@turnwise/core/bounds'
import { lazy } from 'react'
import type { Branches } from '../../run/forks.ts'
import type { RoomProps } from '../rooms.ts'
import { Later } from './later.tsx'
import type { Asked } from './query.ts'

const CompareWith = lazy(() => import('./compare-with.tsx'))

interface Props {
  readonly asked: Asked
  readonly branches: Branches
  readonly index: number
  readonly go: RoomProps['go']
}

/** Chooses a second run to stand beside this one. A record stands alone. */
export function CompareButton({ asked, branches, index, go }: Props) {
  if (asked.trace !== undefined) return null
  const parent = branches[index]?.parent ?? null
  const left = parent === null ? null : get(branches, parent).hands
  return <Later name="Compare with…">{() => <CompareWith {...{ asked, left, go }} />}</Later>
}

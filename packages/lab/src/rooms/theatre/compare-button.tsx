import { get } from '@turnwise/core/bounds'
import { lazy } from 'react'
import type { Branches } from '../../run/forks.ts'
import type { Words } from '../../run/recorded-words.ts'
import type { RoomProps } from '../rooms.ts'
import { Later } from './later.tsx'
import type { Asked } from './theatre-query.ts'

const CompareWith = lazy(() => import('./compare-with.tsx'))

interface Props {
  readonly asked: Asked
  /** The words of the run that is shown, or why its record has none; null while that is being opened. */
  readonly words: Words | string | null
  readonly branches: Branches
  readonly index: number
  readonly go: RoomProps['go']
  /** Asks for a record to stand beside the run. */
  readonly onRecord: () => void
}

/** Chooses a second run, or a record, to stand beside the one that is shown. */
export function CompareButton({ asked, words, branches, index, go, onRecord }: Props) {
  const parent = asked.trace === undefined ? (branches[index]?.parent ?? null) : null
  const left = parent === null ? null : get(branches, parent).hands
  return <Later name="Compare with…">{() => <CompareWith {...{ asked, words, left, go, onRecord }} />}</Later>
}

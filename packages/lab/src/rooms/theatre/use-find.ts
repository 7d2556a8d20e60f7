import { useCallback, useRef } from 'react'
import type { RoomProps } from '../rooms.ts'
import type { Find } from './finding.tsx'
import { type Asked, writeQuery } from './theatre-query.ts'

/** The address keeps what is looked for. */
export function useFind(asked: Asked, go: RoomProps['go']): Find {
  const latest = useRef(asked)
  latest.current = asked
  const onText = useCallback(
    (find: string | undefined) => go(writeQuery({ ...latest.current, find }), 'replace'),
    [go],
  )
  return { text: asked.find, onText }
}

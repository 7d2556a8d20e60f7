import { useEffect } from 'react'
import { firstLook } from '../../run/opened.ts'
import type { Asked } from './theatre-query.ts'
import type { Run } from './use-run.ts'

/** When the first picture was drawn, for measurements: `performance.getEntriesByName(FIRST_PICTURE)`. */
const FIRST_PICTURE = 'first picture'

/** A record opens at what it shows to be wrong, unless the address names a moment. */
export function useFirstLook(run: Run | null, asked: Asked, seek: (position: number) => void): void {
  useEffect(() => {
    if (run === null || !run.isRecord || asked.position !== null) return
    seek(firstLook(run.recording))
    // Only another record is news.
  }, [run])
  const isShown = run !== null
  useEffect(() => {
    if (isShown && performance.getEntriesByName(FIRST_PICTURE).length === 0) performance.mark(FIRST_PICTURE)
  }, [isShown])
}

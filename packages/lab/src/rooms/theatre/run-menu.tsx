import type { ReactNode } from 'react'
import { useMedia } from '../../shell/use-media.ts'
import { Later } from './later.tsx'

/** Below this width the settings take the whole row. */
const NARROW = '(max-width: 1365px)'

interface Props {
  /** Whether they are below one button in any window: the settings take the row. */
  readonly isFolded?: boolean
  readonly children: ReactNode
}

/** The buttons with which a run comes and leaves: in the row of the settings, or below one button where there is no room for them. */
export function RunMenu({ isFolded = false, children }: Props) {
  const isNarrow = useMedia(NARROW)
  const buttons = <div className="run-buttons">{children}</div>
  return isNarrow || isFolded ? <Later name="This run">{() => buttons}</Later> : buttons
}

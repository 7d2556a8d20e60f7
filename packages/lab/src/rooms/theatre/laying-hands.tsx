import { useCallback, useEffect, useRef, useState } from 'react'
import { type Offer, offersFor, type Target, targetText } from '../../run/offers.ts'
import { HandsMenu } from './hands-menu.tsx'
import type { Handle, Spot } from './topology-view.tsx'
import type { Playback } from './use-playback.ts'
import type { Run } from './use-run.ts'
import type { Truth } from './use-truth.ts'

interface OpenMenu {
  readonly target: Target
  readonly spot: Spot
}

/** What is chosen in the picture of a run, and the menu on it. */
export interface Hands {
  readonly selected: number | null
  readonly menu: OpenMenu | null
  readonly close: () => void
  readonly handle: Handle
  /** Around the picture. */
  readonly stage: { current: HTMLDivElement | null }
  readonly handleSelected: () => void
  /** Chooses the node after the chosen one, or before it. */
  readonly select: (by: number) => void
  readonly nextChannel: () => void
}

export function useHands({ recording, world }: Run, playback: Pick<Playback, 'pause'>): Hands {
  const { nodes } = world.config.setup
  const [selected, setSelected] = useState<number | null>(null)
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const stage = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setMenu(null), [])
  const handle = (target: Target, spot: Spot) => {
    playback.pause()
    if (target.is === 'node') setSelected(target.node)
    setMenu({ target, spot })
  }
  const handleSelected = () => {
    const node = selected ?? 0
    const place = stage.current?.querySelector(`[data-node="${node}"]`)?.getBoundingClientRect()
    if (place !== undefined) handle({ is: 'node', node }, { x: place.right, y: place.top })
  }
  // Of another run the same message may be another.
  useEffect(close, [recording.header, close])
  return {
    selected,
    menu,
    close,
    handle,
    stage,
    handleSelected,
    select: (by) => setSelected((was) => ((was ?? -by) + by + nodes) % nodes),
    nextChannel: () => focusNext(stage.current, '[data-link]'),
  }
}

/** Gives the focus to the next of these parts, after the one that has it. */
function focusNext(within: Element | null, parts: string): void {
  const all = [...(within?.querySelectorAll<SVGElement>(parts) ?? [])]
  const current = all.findIndex((part) => part === document.activeElement)
  all[(current + 1) % Math.max(1, all.length)]?.focus()
}

interface Props {
  readonly run: Run
  readonly truth: Truth
  readonly hands: Pick<Hands, 'menu' | 'close'>
  readonly onAct: (offer: Offer) => void
}

/** The menu on what was chosen, if one is open. */
export function LaidHands({ run, truth, hands: { menu, close }, onAct }: Props) {
  if (menu === null) return null
  return (
    <HandsMenu
      title={targetText(menu.target, truth.moment.underWay)}
      offers={run.isRecord ? [] : offersFor(menu.target, truth.moment, run.world.config.algorithm)}
      none={
        run.isRecord ? 'This is a recording, so nothing can be changed.' : 'No action is possible here now.'
      }
      spot={menu.spot}
      onChoose={(offer) => {
        close()
        onAct(offer)
      }}
      onClose={close}
    />
  )
}

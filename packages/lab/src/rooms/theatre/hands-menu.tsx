import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Offer } from '../../run/offers.ts'
import { placeBeside } from './place-beside.ts'
import type { Spot } from './topology-view.tsx'

interface Props {
  readonly title: string
  readonly offers: readonly Offer[]
  /** The text if nothing is offered. */
  readonly none: string
  readonly spot: Spot
  readonly onChoose: (offer: Offer) => void
  readonly onClose: () => void
}

/**
 * What can be done to a node, a message or a channel. Arrows up and down move, those to the sides change a measure, Enter
 * does it, Escape does nothing.
 */
export function HandsMenu({ title, offers, none, spot, onChoose, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  const [changed, setChanged] = useState<ReadonlyMap<number, Offer>>(new Map())
  const shown = offers.map((offer, index) => changed.get(index) ?? offer)
  const change = (index: number, offer: Offer | null | undefined) => {
    if (offer) setChanged(new Map([...changed, [index, offer]]))
  }
  const place = usePlaceInSight(menu, spot)
  useFocusWhileOpen(menu, onClose)
  const move = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll('button') ?? [])]
    const index = items.indexOf(document.activeElement as HTMLButtonElement)
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key]
    const aside = { ArrowLeft: 'less', ArrowRight: 'more' }[event.key] as 'less' | 'more' | undefined
    const measured = Number((document.activeElement as HTMLElement | null)?.dataset['offer'])
    if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else if (aside !== undefined) change(measured, shown[measured]?.measure?.[aside])
    else if (to === undefined) return
    else items.at(to % items.length)?.focus()
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={menu}
      className="hands"
      role="menu"
      aria-label={title}
      style={{ left: place.x, top: place.y }}
      onKeyDown={move}
    >
      <p className="hands-title" role="presentation">
        {title}
      </p>
      {offers.length === 0 && <p role="presentation">{none}</p>}
      {shown.map((offer, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an offer whose measure changes stays in its place.
        <div key={index} className="hands-offer" role="presentation">
          <button type="button" role="menuitem" data-offer={index} onClick={() => onChoose(offer)}>
            {offer.label}
          </button>
          {offer.measure !== undefined && (
            <Measure measure={offer.measure} index={index} onChange={(other) => change(index, other)} />
          )}
        </div>
      ))}
    </div>
  )
}

/** Before it is seen: a key pressed at once is meant for the menu. On closing, the focus returns to where it was. */
function useFocusWhileOpen(menu: RefObject<HTMLElement | null>, onClose: () => void): void {
  useLayoutEffect(() => {
    const before = document.activeElement
    menu.current?.querySelector('button')?.focus()
    const close = (event: PointerEvent) => {
      if (!menu.current?.contains(event.target as Node)) onClose()
    }
    window.addEventListener('pointerdown', close)
    return () => {
      window.removeEventListener('pointerdown', close)
      if (before instanceof HTMLElement || before instanceof SVGElement) before.focus()
    }
  }, [menu, onClose])
}

/** Beside the spot, and wholly in the window. */
function usePlaceInSight(menu: RefObject<HTMLElement | null>, spot: Spot): Spot {
  const [place, setPlace] = useState(spot)
  useLayoutEffect(() => {
    const element = menu.current
    if (element === null) return
    setPlace(
      placeBeside(
        spot,
        { width: element.offsetWidth, height: element.offsetHeight },
        { width: window.innerWidth, height: window.innerHeight },
      ),
    )
  }, [menu, spot])
  return place
}

interface MeasureProps {
  readonly measure: NonNullable<Offer['measure']>
  /** Of the offer that it belongs to. */
  readonly index: number
  readonly onChange: (offer: Offer | null) => void
}

function Measure({ measure: { less, more }, index, onChange }: MeasureProps) {
  const buttons = [
    ['shorter', '−', less],
    ['longer', '+', more],
  ] as const
  return buttons.map(([name, sign, offer]) => (
    <button
      key={name}
      type="button"
      role="menuitem"
      className="hands-measure"
      data-offer={index}
      aria-label={name}
      aria-disabled={offer === null}
      onClick={() => onChange(offer)}
    >
      {sign}
    </button>
  ))
}

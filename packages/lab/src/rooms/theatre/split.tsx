import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'

/** Two pictures with a line between them that can be moved: dragged, or by the arrow keys. */
export function Split({
  isSplit,
  first,
  between,
  second,
}: {
  isSplit: boolean
  first: ReactNode
  between: ReactNode
  second: ReactNode
}) {
  const box = useRef<HTMLDivElement>(null)
  const [share, setShare] = useState(55)
  const put = (next: number) => setShare(Math.max(20, Math.min(80, next)))
  const drag = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || box.current === null) return
    const { top, height } = box.current.getBoundingClientRect()
    put((100 * (event.clientY - top)) / height)
  }
  const move = (event: KeyboardEvent) => {
    const by = { ArrowUp: -5, ArrowDown: 5 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    put(share + by)
  }
  if (!isSplit)
    return (
      <div className="column">
        {first}
        {between}
      </div>
    )
  return (
    <div
      className="split"
      ref={box}
      style={{ gridTemplateRows: `minmax(120px, ${share}fr) auto auto minmax(100px, ${100 - share}fr)` }}
    >
      {first}
      {between}
      {/* biome-ignore lint/a11y/useSemanticElements: a splitter that moves is no rule */}
      <div
        className="splitter"
        role="separator"
        tabIndex={0}
        aria-orientation="horizontal"
        aria-label="Height of the pictures"
        aria-valuenow={share}
        aria-valuemin={20}
        aria-valuemax={80}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={move}
      />
      {second}
    </div>
  )
}

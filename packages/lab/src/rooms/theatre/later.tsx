import { type ReactNode, Suspense, useState } from 'react'

interface Props {
  readonly name: string
  readonly children: () => ReactNode
  readonly onOpen?: () => void
}

/** A button with a box below it that few visitors open; its contents are loaded when one does. Escape or a click elsewhere closes it. */
export function Later({ name, children, onOpen }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div
      className="later"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setIsOpen(false)
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        setIsOpen(false)
        currentTarget.querySelector('button')?.focus()
      }}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => {
          if (!isOpen) onOpen?.()
          setIsOpen(!isOpen)
        }}
      >
        {name}
      </button>
      {isOpen && (
        // Takes the focus when it is clicked, so that it is not left.
        <div className="later-box" tabIndex={-1}>
          <Suspense fallback={null}>{children()}</Suspense>
        </div>
      )}
    </div>
  )
}

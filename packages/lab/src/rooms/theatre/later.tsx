import { type ComponentType, Suspense, useState } from 'react'

interface Props {
  readonly name: string
  readonly content: ComponentType
  readonly onOpen?: () => void
}

/** Something of the settings that few visitors open, loaded when one does. */
export function Later({ name, content: Content, onOpen }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      className="more"
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open)
        if (event.currentTarget.open) onOpen?.()
      }}
    >
      <summary>{name}</summary>
      <Suspense fallback={null}>{isOpen && <Content />}</Suspense>
    </details>
  )
}

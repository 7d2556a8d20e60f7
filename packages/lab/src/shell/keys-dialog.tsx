import { useEffect, useRef } from 'react'
import { useKeyGroups } from './key-bindings.ts'

const SHOWN: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
}

function shown(key: string): string {
  const parts = key.length > 1 ? key.split('+') : [key]
  return parts.map((part) => SHOWN[part] ?? part).join(' + ')
}

/** The keys, as the one dialog of the page. */
export function KeysDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const groups = useKeyGroups()
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} className="keys" aria-labelledby="keys-title" onClose={onClose}>
      <header>
        <h2 id="keys-title">Keys</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      {groups.map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {keys.map(({ keys: names, does }) => (
              <div key={does}>
                <dt>
                  {names.map((name) => (
                    <kbd key={name}>{shown(name)}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </dialog>
  )
}

import { useEffect, useSyncExternalStore } from 'react'

/** One thing that the keyboard does. */
export interface Key {
  /** As `KeyboardEvent.key` says it, with `Shift+` in front where a named key is meant with it. */
  readonly keys: readonly string[]
  /** For the list of keys: "one event on". */
  readonly does: string
  run(): void
}

/** Keys of one part of the page, under its title. */
export interface KeyGroup {
  readonly title: string
  readonly keys: readonly Key[]
}

let groups: readonly KeyGroup[] = []
const listeners = new Set<() => void>()

function change(next: readonly KeyGroup[]): void {
  groups = next
  for (const listener of listeners) listener()
}

/** Has these keys work for as long as the component is there. `group` is to be the same object while nothing changes. */
export function useKeys(group: KeyGroup): void {
  useEffect(() => {
    change([...groups, group])
    return () => change(groups.filter((other) => other !== group))
  }, [group])
}

/** Everything that the keyboard does now. */
export function useKeyGroups(): readonly KeyGroup[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => groups,
  )
}

/** Hears all keys of the page; called once. */
export function listenToKeys(target: Window): () => void {
  const hear = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return
    if (isTyping(event)) return
    const key = keyOf(groups, event.key, event.shiftKey)
    if (key === undefined) return
    event.preventDefault()
    key.run()
  }
  target.addEventListener('keydown', hear)
  return () => target.removeEventListener('keydown', hear)
}

/** What was registered last is asked first. */
export function keyOf(all: readonly KeyGroup[], pressed: string, shift: boolean): Key | undefined {
  // For a sign the shift is part of how it is typed; for a named key it is meant.
  const name = shift && pressed.length > 1 ? `Shift+${pressed}` : pressed
  return all
    .toReversed()
    .flatMap(({ keys }) => keys)
    .find(({ keys }) => keys.includes(name))
}

/** Keys that a focused control needs for itself are its own. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('dialog, [role=menu], [role=listbox], textarea, select') !== null) return true
  if (target instanceof HTMLInputElement) {
    return target.type === 'range' || target.type === 'checkbox' || target.type === 'radio'
      ? key === ' ' || key.startsWith('Arrow') || key === 'Home' || key === 'End'
      : true
  }
  const presses = target.closest('button, a[href], summary, [role=tab]') !== null
  return presses && (key === ' ' || key === 'Enter' || (target.role === 'tab' && key.startsWith('Arrow')))
}

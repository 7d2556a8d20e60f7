import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { findSteps, isLookedFor, nextFound, readSearch, type Wanted } from '../../run/find.ts'
import { type KeyGroup, useKeys } from '../../shell/key-bindings.ts'
import './find-row.css'
import type { Find, Found, Searched } from './finding.tsx'
import type { Lit } from './paint.ts'

interface Props extends Searched {
  readonly find: Find
  readonly calls: number
  readonly onFound: (found: Found | null) => void
  readonly onClose: () => void
}

/** In milliseconds: a word that is still being typed is not looked for. */
const REST = 200

/** Words to look for, how many steps have them, and the way from one to the next. */
export function FindRow({ run, types, position, search, onSeek, find, onFound, calls, onClose }: Props) {
  const { typed, setTyped, taken, take } = useTyped(find)
  const searchFor = (text: string) => found(run, readSearch(text, types), search)
  const current = useMemo(() => searchFor(taken), [run, taken, types.join()])
  useLayoutEffect(() => onFound(current), [current])
  const go = (direction: 1 | -1) => {
    // What was typed just now counts at once.
    const latest = typed === taken ? current : searchFor(typed)
    take(typed)
    const next = latest === null ? null : nextFound(latest.positions, position, direction)
    if (next !== null) onSeek(next)
  }
  useFindKeys(go)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (calls > 0) input.current?.select()
  }, [calls])
  const hear = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return onClose()
    const direction = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (direction === undefined) return
    event.preventDefault()
    go(direction === 1 ? 1 : -1)
  }
  return (
    <search className="find-row">
      <input
        ref={input}
        type="text"
        aria-label="Find steps"
        placeholder={`${types[0] ?? 'token'}, node 2, ${types.at(-1) ?? 'token'} from 1, enters…`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={hear}
      />
      <output className="figures">{countText(current, position)}</output>
      <button type="button" aria-label="The match before" disabled={!hasAny(current)} onClick={() => go(-1)}>
        ‹
      </button>
      <button type="button" aria-label="The next match" disabled={!hasAny(current)} onClick={() => go(1)}>
        ›
      </button>
      <button type="button" aria-label="End the search" onClick={onClose}>
        ×
      </button>
    </search>
  )
}

/** The text of the address, the text in the field, and the one that is looked for: what was typed, when it has rested. */
function useTyped({ text = '', onText }: Find) {
  const [typed, setTyped] = useState(text)
  const [taken, setTaken] = useState(text)
  const written = useRef(text)
  const take = (next: string) => {
    setTaken(next)
    written.current = next
    if (next !== text) onText(next === '' ? undefined : next)
  }
  useEffect(() => {
    if (typed === taken) return undefined
    const timer = setTimeout(() => take(typed), REST)
    return () => clearTimeout(timer)
  }, [typed])
  useEffect(() => {
    if (text === written.current) return
    written.current = text
    setTyped(text)
    setTaken(text)
    // Only another address is news.
  }, [text])
  return { typed, setTyped, taken, take }
}

function found(run: Searched['run'], wanted: readonly Wanted[], search: Searched['search']): Found | null {
  if (wanted.length === 0) return null
  const positions = search?.(wanted) ?? findSteps(run.happenings, wanted)
  return { run, wanted, positions, lit: litBy(positions, wanted) }
}

/** Lights the steps that were found, and of their messages those that were looked for. */
export function litBy(positions: readonly number[], wanted: readonly Wanted[]): Lit {
  const found = new Set(positions.map((position) => position - 1))
  const hasStep = (happening: number) => found.has(happening)
  return {
    isMarked: hasStep,
    hasStep,
    hasArrow: (arrow) =>
      (hasStep(arrow.cause) || (arrow.effect !== null && hasStep(arrow.effect))) &&
      isLookedFor(arrow, wanted),
  }
}

function hasAny(found: Found | null): boolean {
  return found !== null && found.positions.length > 0
}

/** "3 of 12" at a match, else "12 steps". */
function countText(found: Found | null, position: number): string {
  if (found === null) return ''
  const { positions } = found
  const index = positions.indexOf(position)
  if (index >= 0) return `${index + 1} of ${positions.length}`
  return positions.length === 0 ? 'no step' : positions.length === 1 ? '1 step' : `${positions.length} steps`
}

function useFindKeys(go: (direction: 1 | -1) => void): void {
  const latest = useRef(go)
  latest.current = go
  const keys = useMemo<KeyGroup>(
    () => ({
      title: 'Matches',
      keys: [
        { keys: ['g'], does: 'the next match', run: () => latest.current(1) },
        { keys: ['G'], does: 'the match before', run: () => latest.current(-1) },
      ],
    }),
    [],
  )
  useKeys(keys)
}

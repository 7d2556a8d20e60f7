/** What a key asks for. */
import type { Deed } from './up-deeds.ts'

export type Wish =
  | { readonly is: 'select'; readonly index: number }
  | { readonly is: 'deed'; readonly deed: Deed }
  /** Kill it, or start it again. */
  | { readonly is: 'engine' }
  | { readonly is: 'quit' }

const DEEDS: Readonly<Record<string, Deed>> = {
  k: 'kill',
  r: 'restart',
  p: 'pause',
  c: 'continue',
  x: 'cut',
  h: 'heal',
}

/** Ctrl-C and Ctrl-D are keys like others while the terminal is raw. */
const QUIT = ['q', '\u0003', '\u0004']
const STEPS: ReadonlyMap<string, number> = new Map([
  ['\u001B[A', -1],
  ['\u001B[B', 1],
  ['\u001BOA', -1],
  ['\u001BOB', 1],
])

/** Null if it means nothing here. `selected` is the row that keys act on, of `count`. */
export function wishOf(key: string, selected: number, count: number): Wish | null {
  if (QUIT.includes(key)) return { is: 'quit' }
  if (key.toLowerCase() === 'e') return { is: 'engine' }
  const step = STEPS.get(key)
  if (step !== undefined) return { is: 'select', index: (selected + step + count) % count }
  if (/^[1-9]$/.test(key)) return Number(key) > count ? null : { is: 'select', index: Number(key) - 1 }
  const letter = key.toLowerCase()
  const deed = Object.hasOwn(DEEDS, letter) ? DEEDS[letter] : undefined
  return deed === undefined ? null : { is: 'deed', deed }
}

/** A terminal hands over what was typed in pieces that may hold several keys; an arrow is three characters. */
export function keysIn(typed: string): string[] {
  const keys: string[] = []
  for (let at = 0; at < typed.length; at += keys.at(-1)?.length ?? 1) {
    const isArrow = STEPS.has(typed.slice(at, at + 3))
    keys.push(typed.slice(at, at + (isArrow ? 3 : 1)))
  }
  return keys
}

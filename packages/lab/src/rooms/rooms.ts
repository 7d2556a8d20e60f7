import type { ComponentType } from 'react'
import type { Query } from '../shell/address.ts'

/** What a room gets from the shell. */
export interface RoomProps {
  /** The words of the address after the room. */
  readonly query: Query
  /** Changes the address within the room; `replace` for what the Back button need not undo. */
  readonly go: (query: Query, how?: 'push' | 'replace') => void
}

/** A page of the lab, loaded when it is first opened. */
export interface Room {
  readonly path: string
  readonly title: string
  readonly load: () => Promise<{ readonly default: ComponentType<RoomProps> }>
}

/** The rooms in the order of the bar; the first is the one that opens by itself. */
export const rooms: readonly Room[] = [
  { path: 'theatre', title: 'Theatre', load: () => import('./theatre/theatre.tsx') },
  { path: 'lessons', title: 'Lessons', load: () => import('./lessons/lessons.tsx') },
  { path: 'compare', title: 'Compare', load: () => import('./compare/compare.tsx') },
  { path: 'check', title: 'Check', load: () => import('./check/check.tsx') },
  { path: 'assumptions', title: 'Assumptions', load: () => import('./assumptions/assumptions.tsx') },
  { path: 'write', title: 'Write', load: () => import('./write/write.tsx') },
  { path: 'structures', title: 'Structures', load: () => import('./structures/structures.tsx') },
  { path: 'live', title: 'Live', load: () => import('./live/live.tsx') },
]

import { useMemo, useRef } from 'react'
import { type Key, type KeyGroup, useKeys } from '../../shell/keys.ts'
import type { Playback } from './use-playback.ts'

interface Played {
  readonly playback: Playback
  readonly zoom: (by: number) => void
}

interface Doings extends Played {
  readonly nextTab: () => void
  readonly nextBranch: () => void
  readonly share: () => void
  readonly handle: () => void
  readonly select: (by: number) => void
  readonly nextChannel: () => void
}

/** The keys of the theatre; what they do is looked up when they are pressed. */
export function useTheatreKeys(doings: Doings): void {
  const latest = useRef(doings)
  latest.current = doings
  const group = useMemo<KeyGroup>(() => {
    const key = keyFor(latest)
    return {
      title: 'Theatre',
      keys: [
        ...playedKeys(latest),
        key('choose the next node', ['n'], ({ select }) => select(1)),
        key('choose the node before', ['p'], ({ select }) => select(-1)),
        key('choose the next channel; Enter lays hands on it', ['c'], ({ nextChannel }) => nextChannel()),
        key('lay hands on the chosen node', ['Enter', 'h'], ({ handle }) => handle()),
        key('the next tab', ['t'], ({ nextTab }) => nextTab()),
        key('the next branch', ['b'], ({ nextBranch }) => nextBranch()),
        key('copy the address of this moment', ['s'], ({ share }) => share()),
      ],
    }
  }, [])
  useKeys(group)
}

/** Keys whose doings are looked up when they are pressed. */
export function keyFor<Of>(latest: { readonly current: Of }) {
  return (does: string, keys: readonly string[], run: (now: Of) => void): Key => ({
    does,
    keys,
    run: () => run(latest.current),
  })
}

/** The keys with which a run is played, alone or beside another. */
export function playedKeys(latest: { readonly current: Played }): Key[] {
  const key = keyFor(latest)
  return [
    key('play or pause', [' '], ({ playback }) => playback.toggle()),
    key('one event on', ['ArrowRight'], ({ playback }) => playback.step(1)),
    key('one event back', ['ArrowLeft'], ({ playback }) => playback.step(-1)),
    key('to the next entry', ['Shift+ArrowRight', 'e'], ({ playback }) => playback.toEntry(1)),
    key('back to the last entry', ['Shift+ArrowLeft'], ({ playback }) => playback.toEntry(-1)),
    key('to the beginning', ['Home'], ({ playback }) => playback.seek(0)),
    key('to the end', ['End'], ({ playback }) => playback.seek(Number.MAX_SAFE_INTEGER)),
    key('faster', ['+'], ({ playback }) => playback.changeSpeed(1)),
    key('slower', ['-'], ({ playback }) => playback.changeSpeed(-1)),
    key('see more of the run', ['['], ({ zoom }) => zoom(1)),
    key('see less, larger', [']'], ({ zoom }) => zoom(-1)),
  ]
}

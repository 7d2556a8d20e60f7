import { useMemo, useRef } from 'react'
import { type Key, type KeyGroup, useKeys } from '../../shell/key-bindings.ts'
import type { Hands } from './laying-hands.tsx'
import type { Playback } from './use-playback.ts'

interface Played {
  readonly playback: Playback
  readonly zoom: (by: number) => void
}

interface Handled {
  readonly nextTab: () => void
  readonly share: () => void
  /** Those that are laid on the run of the panel. */
  readonly hands: Pick<Hands, 'handleSelected' | 'select' | 'nextChannel'>
}

interface Doings extends Played, Handled {
  readonly nextBranch: () => void
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
        ...handKeys(latest),
        key('the next branch', ['b'], ({ nextBranch }) => nextBranch()),
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
    key('one event forward', ['ArrowRight'], ({ playback }) => playback.step(1)),
    key('one event back', ['ArrowLeft'], ({ playback }) => playback.step(-1)),
    key('forward to the next entry', ['Shift+ArrowRight', 'e'], ({ playback }) => playback.toEntry(1)),
    key('back to the last entry', ['Shift+ArrowLeft'], ({ playback }) => playback.toEntry(-1)),
    key('to the beginning', ['Home'], ({ playback }) => playback.seek(0)),
    key('to the end', ['End'], ({ playback }) => playback.seek(Number.MAX_SAFE_INTEGER)),
    key('faster', ['+'], ({ playback }) => playback.changeSpeed(1)),
    key('slower', ['-'], ({ playback }) => playback.changeSpeed(-1)),
    key('see more of the run', ['['], ({ zoom }) => zoom(1)),
    key('see less, larger', [']'], ({ zoom }) => zoom(-1)),
  ]
}

/** The keys for what is chosen, and for what is told of it. */
export function handKeys(latest: { readonly current: Handled }): Key[] {
  const key = keyFor(latest)
  return [
    key('choose the next node', ['n'], ({ hands }) => hands.select(1)),
    key('choose the node before', ['p'], ({ hands }) => hands.select(-1)),
    key('choose the next channel; Enter opens its menu', ['c'], ({ hands }) => hands.nextChannel()),
    key('open the menu of the chosen node', ['Enter', 'h'], ({ hands }) => hands.handleSelected()),
    key('the next tab', ['t'], ({ nextTab }) => nextTab()),
    key('copy the address of this moment', ['s'], ({ share }) => share()),
  ]
}

/** What the page around an embedded run may say to it, and hears from it. */
export type Order =
  | { readonly turnwise: 'play' | 'pause' | 'ask' }
  /** So many events on, or back. */
  | { readonly turnwise: 'step'; readonly by: number }
  /** To the position after so many events. */
  | { readonly turnwise: 'seek'; readonly to: number }

/** Where an embedded run stands: told after every change. */
export interface Told {
  readonly turnwise: 'moment'
  /** So many events have happened, of so many. */
  readonly position: number
  readonly of: number
  readonly isPlaying: boolean
  /** What happened last, in words. */
  readonly sentence: string
}

/** Null for what is no order: others send messages too. */
export function readOrder(data: unknown): Order | null {
  if (typeof data !== 'object' || data === null || !('turnwise' in data)) return null
  const { turnwise } = data
  if (turnwise === 'play' || turnwise === 'pause' || turnwise === 'ask') return { turnwise }
  if (turnwise === 'step') {
    const by = 'by' in data ? data.by : 1
    return Number.isInteger(by) ? { turnwise, by: by as number } : null
  }
  if (turnwise !== 'seek' || !('to' in data)) return null
  const { to } = data
  return Number.isInteger(to) && (to as number) >= 0 ? { turnwise, to: to as number } : null
}

/** The origin whose page may control the run: `&control=https://course.example`. Null if none may. */
export function controllerOf(search: string): string | null {
  const text = new URLSearchParams(search).get('control') ?? ''
  try {
    const { origin } = new URL(text)
    return origin === text && origin !== 'null' ? origin : null
  } catch {
    // Nothing, or no address.
    return null
  }
}

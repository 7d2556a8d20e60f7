import type { LiveLock, LiveView } from './live-view.ts'

const SILENT: ReadonlySet<string> = new Set(['killed', 'paused', 'not heard'])

/** Why nobody is inside though callers wait; null if somebody is, nobody waits, or the mesh gives no reason. */
export function whyNobody(
  { view, nodes }: Pick<LiveView, 'view' | 'nodes'>,
  { holders, waiting }: Pick<LiveLock, 'holders' | 'waiting'>,
): string | null {
  if (holders.length > 0 || waiting === 0) return null
  if (view === null) return 'until there is a view'
  const silent = nodes.filter(
    ({ id, isIn, state }) => (isIn || view.members.includes(id)) && SILENT.has(state),
  )
  if (silent.length === 0) return null
  const leases = silent.length === 1 ? 'the lease of' : 'the leases of'
  const has = silent.length === 1 ? 'has' : 'have'
  return `until ${leases} ${silent.map(({ id }) => id).join(', ')} ${has} ended`
}

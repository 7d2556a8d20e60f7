import type { Recording } from './recording.ts'
import type { RunSpec } from './world.ts'

/**
 * The words with which a recorded run can be played again, or another algorithm on its seed and load; null if the record
 * does not say them: it comes from a checker or from a mesh. `shown` are those with which it is drawn.
 */
export function wordsOf(
  { header, entered }: Pick<Recording, 'header' | 'entered'>,
  shown: RunSpec,
): RunSpec | null {
  const text = (name: string) => {
    const value = header.settings[name]
    return typeof value === 'string' ? value : undefined
  }
  const number = (name: string) => {
    const value = header.settings[name]
    return typeof value === 'number' ? value : undefined
  }
  const [load, latency, faults] = ['load', 'latency', 'faults'].map(text)
  const isElection = 'initiators' in header.settings
  if (latency === undefined || (load === undefined && !isElection)) return null
  return {
    ...shown,
    load: load ?? text('initiators') ?? shown.load,
    latency,
    inside: text('inside') ?? shown.inside,
    // A run ends when so many have entered.
    entries: Math.max(1, entered.at(-1) ?? 1),
    readers: number('readers'),
    priorities: text('priorities'),
    take: number('take'),
    fault: faults?.split(' ') ?? [],
  }
}

import type { TraceHeader } from '@turnwise/core/trace/trace'
import { type Hand, readHands, writeHands } from './hand.ts'
import type { Recording } from './recording.ts'
import type { RunSpec } from './world-spec.ts'

/** What a run is played from. */
export interface Words {
  readonly spec: RunSpec
  readonly hands: readonly Hand[]
}

/** The header of a run on which these hands were laid. */
export function withHands(header: TraceHeader, hands: readonly Hand[]): TraceHeader {
  if (hands.length === 0) return header
  return { ...header, settings: { ...header.settings, hands: writeHands(hands) } }
}

/** The hands that a record says. What this version cannot read is left out. */
export function handsIn({ settings: { hands } }: TraceHeader): Hand[] {
  return typeof hands === 'string' ? readHands(hands) : []
}

/**
 * The words with which a recorded run can be played again, or another algorithm on its seed and load; or one clause that
 * says why there are none. `shown` are those with which it is drawn.
 */
export function wordsOf(
  { header, entered }: Pick<Recording, 'header' | 'entered'>,
  shown: RunSpec,
): Words | string {
  const { settings } = header
  const text = (name: string) => (typeof settings[name] === 'string' ? settings[name] : undefined)
  const number = (name: string) => (typeof settings[name] === 'number' ? settings[name] : undefined)
  const [load, latency, faults] = ['load', 'latency', 'faults'].map(text)
  if ('shrunk' in settings)
    return 'this record is a part of a run: turnwise simulate --shrink left out the rest'
  if (latency === undefined || (load === undefined && !('initiators' in settings)))
    return 'this record does not say its load and delays'
  const hands = handsIn(header)
  if (writeHands(hands) !== (text('hands') ?? ''))
    return 'this record has actions that this version of the page cannot read'
  const spec = {
    ...shown,
    load: load ?? text('initiators') ?? shown.load,
    latency,
    inside: text('inside') ?? shown.inside,
    // Earlier records do not say how many requests there may be: there were at least as many as entries.
    entries: number('requests') ?? Math.max(1, entered.at(-1) ?? 1),
    readers: number('readers'),
    priorities: text('priorities'),
    take: number('take'),
    fault: faults?.split(' ') ?? [],
  }
  return { spec, hands }
}

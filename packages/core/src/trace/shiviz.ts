import type { NodeId } from '../algorithm.ts'
import { get, increase } from '../bounds.ts'
import { type Happening, happenings } from './happening.ts'
import { causeText, effectText, NAMED, reasonsOf } from './sentence.ts'
import type { Trace } from './trace.ts'

/** How ShiViz is to read the log; it takes this from the first line of the file. */
const LOG_PATTERN = '(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)'

/**
 * A run as a log for ShiViz, with a vector clock (Fidge, Mattern 1988) on every event: of two events one could
 * have influenced the other exactly if its clock is smaller. Events stand in the order in which they happened,
 * which no cause breaks. Ends with a newline.
 */
export function renderShiviz(trace: Trace): string {
  const lines = [LOG_PATTERN, '']
  const clocks = startClocks(trace.header.nodes)
  for (const happening of happenings(trace)) {
    for (const { host, clock, text } of happeningEntries(happening, clocks)) {
      lines.push(`${host} ${clock}`, text)
    }
  }
  return `${lines.join('\n')}\n`
}

interface Entry {
  readonly host: string
  readonly clock: string
  readonly text: string
}

function* happeningEntries(happening: Happening, clocks: Clocks): Generator<Entry, void> {
  const { cause, concerns, consequences, transit } = happening
  const why = reasonsOf(happening).join(' ')
  const text = causeText(happening, NAMED) + (why === '' ? '' : ` (${why})`)
  const received = cause.is === 'receive' && transit !== null ? transit.id : null
  // What a judge finds at no node in particular gets a line of its own beside the nodes.
  if (concerns.length === 0) yield { host: JUDGE, clock: `{"${JUDGE}":${clocks.tickJudge()}}`, text }
  for (const node of concerns) {
    clocks.tick(node, received)
    if (cause.is === 'send') clocks.carry(cause.id, node)
    yield { host: NAMED.node(node), clock: clocks.show(node), text }
  }
  for (const effect of consequences) {
    const node = get(concerns, 0)
    clocks.tick(node, null)
    if (effect.is === 'send') clocks.carry(effect.id, node)
    yield { host: NAMED.node(node), clock: clocks.show(node), text: effectText(effect, happening, NAMED) }
  }
}

const JUDGE = 'judge'

interface Clocks {
  /** One more event at a node, which learns all that a received message carries. */
  tick(node: NodeId, received: number | null): void
  /** A message takes its sender's clock with it. */
  carry(id: number, sender: NodeId): void
  show(node: NodeId): string
  tickJudge(): number
}

function startClocks(nodes: number): Clocks {
  // A clock is replaced, never changed: messages keep the one they left with.
  const zero: readonly number[] = Array.from({ length: nodes }, () => 0)
  const clocks = Array.from({ length: nodes }, () => zero)
  const carried = new Map<number, readonly number[]>()
  let judge = 0
  return {
    tick(node, received) {
      const other = received === null ? undefined : carried.get(received)
      const learned = get(clocks, node).map((count, i) => Math.max(count, other?.[i] ?? 0))
      increase(learned, node)
      clocks[node] = learned
    },
    carry(id, sender) {
      carried.set(id, get(clocks, sender))
    },
    show(node) {
      // ShiViz refuses an entry for a node of which it has not seen an event, so zeros are left out.
      const counts = get(clocks, node).flatMap((count, i) =>
        count === 0 ? [] : [[NAMED.node(i), count] as const],
      )
      return JSON.stringify(Object.fromEntries(counts))
    },
    tickJudge() {
      judge += 1
      return judge
    },
  }
}

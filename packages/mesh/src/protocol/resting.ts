/**
 * Names that no caller uses. One node cannot drop an instance alone: a token may rest there, or permissions have moved. But it
 * can keep the state as text, one copy for all names with the same state. It forgets a name only if the state equals what `init`
 * would give again, and no message for the name is unacknowledged. A new view forgets all of them.
 */
import { initialText } from './instances.ts'
import { type Handling, type LocalName, type Node, tickOf } from './state.ts'

/** On the tick: puts names to rest that were not used since the last tick, a limited number at a time. */
export function putToRest(handling: Handling): void {
  const { node } = handling
  let left = Math.min(Math.max(FEWEST, PER_MILLISECOND * tickOf(node)), MOST)
  for (const name of node.stirring) {
    if (left <= 0) return
    left -= 1
    node.stirring.delete(name)
    const local = node.names.get(name)
    if (local !== undefined && isIdle(local)) rest(handling, name, local)
  }
  node.stirring = node.used
  node.used = new Set()
}

/** How many names a tick puts to rest. It takes a small part of the time until the next tick. */
const PER_MILLISECOND = 2
const FEWEST = 100
const MOST = 5000

function isIdle({ waiting, seats }: LocalName): boolean {
  return (
    waiting.length === 0 &&
    seats.every(
      ({ holds, instance }) => holds.length === 0 && (instance === null || instance.phase === 'idle'),
    )
  )
}

function rest(handling: Handling, name: string, local: LocalName): void {
  const { node } = handling
  if (node.used.has(name)) return
  const states = local.seats.map(({ instance }) => instance?.state ?? null)
  const text = JSON.stringify(states)
  // A name in the table would begin inside again.
  const isOfTable = Object.hasOwn(node.begun?.table ?? {}, name)
  const isFresh = !isOfTable && text === freshText(handling, name, local)
  node.names.delete(name)
  if (isFresh && !hasUnacknowledged(node, name)) return
  // One copy of each text, because names that were used once have equal states.
  const kept = node.restingTexts.get(text) ?? text
  node.restingTexts.set(kept, kept)
  node.resting.set(name, kept)
}

function freshText(handling: Handling, name: string, local: LocalName): string {
  const texts = local.seats.map((seat) =>
    seat.instance === null ? 'null' : initialText(handling, name, local, seat),
  )
  return `[${texts.join()}]`
}

function hasUnacknowledged({ links }: Node, name: string): boolean {
  return Object.values(links).some(({ unacked }) =>
    unacked.some(({ payload }) => 'name' in payload && payload.name === name),
  )
}

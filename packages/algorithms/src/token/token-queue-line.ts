/**
 * The line of token-queue.ts: who is next in it, and how the owner of the token serves it.
 *
 * Requests have levels. Next is the first place of the highest level. Each place that it passes counts that. A place that was passed
 * `passes` times is passed no more: none behind it is next before it. In Kanrar and Chaki 2010 a request rises a level whenever a more urgent one
 * passes it, and Lejeune, Arantes, Sopena and Sens 2012 slow that down, since it soon makes all requests equal. Here it rises once, above
 * all: until then priorities count in full, and the bound is exact.
 *
 * Among equal ones the owner prefers a place of its own zone, while its zone has turns left, as a cohort does (Dice, Marathe and Shavit 2012).
 * That, too, passes those before it, and has the same bound. A zone takes `localTurns` turns before others. Then the head of the line is next, and
 * the zone of that node has its turns.
 */
import type { Here, Mode, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { oncePerSetup, type Setup } from '@turnwise/core/setup'
import { evenZones } from '@turnwise/core/zones'
import { fenceOf, type Message, mayNeed, type Options, type Place, type State } from './token-queue-state.ts'

/** The owner serves the line, as far as it can. Readers that follow each other go together. */
export function serve(node: State, here: Here<Message, Options>): void {
  while (node.fence !== null && node.queue.length > 0) {
    if (node.inside === 'exclusive') return here.because?.('node {self} is inside alone: the line waits')
    if (node.leaving) return here.because?.('the line is served when node {self} hands over')
    const at = nextInLine(node, here)
    const { node: next, mode } = get(node.queue, at)
    const isOwn = next === here.self
    const isWriter = mode === 'exclusive' && !(isOwn && node.waits === 'update')
    if (isWriter && node.inside === 'update' && !isOwn)
      return here.because?.('node {self} is inside, and may yet write: node {next} waits', { next })
    if (isWriter && isOwn) comeForward(node, here, at)
    if (isWriter && node.missing !== 0)
      return here.because?.('node {next} cannot write before all copies are back', { next })
    if (!(isWriter && isOwn)) takeOut(node, here, at)
    if (isWriter) return serveWriter(node, here, next)
    if (isOwn) {
      here.because?.('node {self} is first in line, and comes in beside other readers')
      enter(node, here, node.waits ?? 'shared', node.fence + 1)
    } else giveCopy(node, here, next)
  }
}

/** Where in the line the place is that is served next: urgent ones first, and among equal ones those of our zone, if it has turns left. */
export function nextInLine(
  { queue, turns }: Pick<State, 'queue' | 'turns'>,
  { self, setup }: Pick<Here<Message, Options>, 'self' | 'setup'>,
): number {
  const { passes, localTurns } = setup.options
  const hasTurns = turns < localTurns
  let next = 0
  for (let at = 0; at < queue.length; at += 1) {
    const { node, level = 0, passed = 0 } = get(queue, at)
    const { node: best, level: most = 0 } = get(queue, next)
    if (level > most) next = at
    else if (level === most && hasTurns && areNear(setup, self, node) && !areNear(setup, self, best))
      next = at
    if (passed >= passes) return next
  }
  return next
}

/** A mesh knows the zones of its members. Elsewhere they are blocks of numbers. */
export function areNear(setup: Setup<Options>, one: NodeId, other: NodeId): boolean {
  const { zoneOfNode } = setup
  if (zoneOfNode !== null) return zoneOfNode[one] === zoneOfNode[other]
  if (setup.options.zones === 1) return false
  const zones = zonesOf(setup)
  return zones.of(one) === zones.of(other)
}

const zonesOf = oncePerSetup(({ nodes, options }: Setup<Options>) => evenZones(nodes, options.zones))

/** Takes a place out of the line. Those before it are passed once more. */
export function takeOut(
  node: Pick<State, 'queue' | 'turns'>,
  here: Pick<Here<Message, Options>, 'self' | 'setup' | 'because'>,
  at: number,
): Place {
  const taken = get(node.queue, at)
  if (at === 0) {
    node.queue = node.queue.slice(1)
    return taken
  }
  const first = get(node.queue, 0)
  const isNear = areNear(here.setup, here.self, taken.node)
  if ((taken.level ?? 0) > (first.level ?? 0))
    here.because?.('node {next} is more urgent than node {first}, which is passed once more', {
      next: taken.node,
      first: first.node,
    })
  else
    here.because?.(
      'node {next} is in the zone of node {self}, and goes before node {first}, as {turns} did',
      {
        next: taken.node,
        first: first.node,
        turns: node.turns,
      },
    )
  if (isNear) node.turns += 1
  node.queue = node.queue.flatMap((place, i) =>
    i === at ? [] : i < at ? { ...place, passed: (place.passed ?? 0) + 1 } : place,
  )
  return taken
}

/** The owner is next, and only waits for copies: from now on its place is before all. */
function comeForward(node: State, here: Here<Message, Options>, at: number): void {
  const own = takeOut(node, here, at)
  node.queue = [unpassable(own, here.setup.options), ...node.queue]
}

/** The same place, for a node that is next already. Field by field for speed: every token that comes passes here. */
export function unpassable({ node, mode, level }: Place, { passes }: Options): Place {
  return level === undefined ? { node, mode, passed: passes } : { node, mode, level, passed: passes }
}

function giveCopy(node: State, here: Here<Message>, reader: NodeId): void {
  node.copies ??= Array.from({ length: here.setup.nodes }, () => false)
  node.copies[reader] = true
  here.because?.('node {reader} is first in line, to read: a copy is enough for it', { reader })
  here.send(reader, { type: 'copy', fence: fenceOf(node, here) + 1 })
}

/** All copies are recalled for the writer, but its own. */
function serveWriter(node: State, here: Here<Message, Options>, writer: NodeId): void {
  let recalled = 0
  node.copies?.forEach((hasCopy, reader) => {
    if (!hasCopy || reader === writer) return
    here.because?.('node {writer} must have the copy of node {reader} back before it writes', {
      reader,
      writer,
    })
    here.send(reader, { type: 'recall', writer })
    recalled += 1
  })
  node.copies = null
  if (writer !== here.self) return pass(node, here, writer, recalled)
  // It stands at the head of the line until all copies are back.
  node.missing = recalled
  if (recalled > 0) return
  here.because?.('node {self} is first in line, and no copy is out: it is alone')
  node.queue.shift()
  node.fence = fenceOf(node, here) + 2
  enter(node, here, 'exclusive', node.fence)
}

/** Our own reading becomes a copy that is recalled already; our own place, if any, goes with the line. */
function pass(node: State, here: Here<Message, Options>, writer: NodeId, recalled: number): void {
  const fence = fenceOf(node, here)
  const isReading = node.inside === 'shared'
  here.because?.('node {writer} is first in line: it gets the token, and the rest of the line', { writer })
  if (isReading) {
    node.copy = fence + 1
    node.recalled = writer
  }
  here.send(writer, {
    type: 'token',
    fence,
    places: node.queue,
    missing: isReading ? recalled + 1 : recalled,
    ...(node.turns > 0 && areNear(here.setup, here.self, writer) && { turns: node.turns }),
  })
  node.turns = 0
  node.asked = node.waits && mayNeed(node.waits)
  node.where = node.asked === 'exclusive' ? null : writer
  if (here.setup.options.passes > 0) node.trail = writer
  node.queue = []
  node.fence = null
}

export function enter(node: State, here: Here<Message>, mode: Mode, fence: number): void {
  node.waits = null
  node.level = 0
  node.inside = mode
  here.enter(fence)
}

/** One node of a mesh in a process of its own, which takes turns when it is told to. */

import { Socket } from 'node:net'
import { get } from '@turnwise/core/bounds'
import { answerBy } from '@turnwise/fleet/program-answers'
import { type Held, join, type Mesh } from 'turnwise'
import { atEnds, spent, standing } from './processor.ts'
import { type Command, type Load, now, type Span, type Turns } from './talk.ts'

let mesh: Mesh | null = null
let held: Held | null = null
let writes = 0

// Pieces as they are given to the system: several at once would be one.
type Write = (this: Socket, ...given: unknown[]) => unknown
for (const method of ['_write', '_writev'] as const) {
  const original = Reflect.get(Socket.prototype, method) as Write
  Reflect.set(Socket.prototype, method, function (this: Socket, ...given: unknown[]) {
    writes += 1
    return original.apply(this, given)
  })
}

function node(): Mesh {
  if (mesh === null) throw new Error('it has not joined')
  return mesh
}

const COUNTER = 2n ** 27n - 1n

/** Of turns at one name, to write. */
interface Counted {
  readonly fences: bigint[]
  readonly waits: number[]
}

async function takeTurns(
  name: string,
  { readers }: Load,
  span: Span,
  counted: Counted | null,
): Promise<number> {
  const { locks } = node()
  let turns = 0
  // Writers of several processes do not come in step.
  let toWrite = Math.random()
  for (;;) {
    toWrite += 1 - readers
    const mode = toWrite < 1 ? 'shared' : 'exclusive'
    toWrite %= 1
    const asked = now()
    const own = await locks.acquire(name, mode === 'shared' ? { mode } : undefined)
    const at = now()
    // One of many names, or to read, is held until the event loop has turned, or nobody else would hear of its release.
    if (counted === null) await new Promise(setImmediate)
    own.release()
    if (at >= span.until) return turns
    if (at < span.from) continue
    turns += 1
    counted?.fences.push(own.fence)
    counted?.waits.push(at - asked)
  }
}

/** A stay lasts until the event loop has turned, as with many names. */
async function takeSeveral(
  names: readonly string[],
  { take, way }: NonNullable<Load['several']>,
  span: Span,
): Promise<number> {
  const { locks } = node()
  const all = node().group('bench', names)
  let turns = 0
  for (;;) {
    const wanted = drawn(names, take)
    const own = await (way === 'in order' ? locks.acquire(wanted) : all.acquire(wanted))
    const at = now()
    await new Promise(setImmediate)
    own.release()
    if (at >= span.until) return turns
    if (at >= span.from) turns += 1
  }
}

function drawn(names: readonly string[], count: number): string[] {
  const left = [...names]
  return Array.from({ length: count }, () => get(left.splice(Math.floor(Math.random() * left.length), 1), 0))
}

/** What is counted when a span begins, and when it ends. */
function counts() {
  return { ...spent(), sent: node().status.sent, writes }
}

async function turnsAt(names: readonly string[], load: Load, span: Span): Promise<Turns> {
  const counted: Counted = { fences: [], waits: [] }
  const ends = atEnds(span, counts)
  const isCounted = names.length === 1 && load.readers === 0
  const callers = Array.from({ length: load.callers }, () => names).flat()
  const { several } = load
  const all = await Promise.all(
    several === undefined
      ? callers.map((name) => takeTurns(name, load, span, isCounted ? counted : null))
      : Array.from({ length: load.callers }, () => takeSeveral(names, several, span)),
  )
  const [before, after] = await ends
  return {
    fences: counted.fences.map((fence) => Number(fence & COUNTER)),
    waits: counted.waits,
    turns: all.reduce((sum, turns) => sum + turns, 0),
    cpu: after.cpu - before.cpu,
    sleeps: after.sleeps - before.sleeps,
    sent: after.sent - before.sent,
    writes: after.writes - before.writes,
  }
}

answerBy(async (command: Command) => {
  switch (command.do) {
    case 'join':
      mesh = await join(command.options)
      while (mesh.status.members.length < command.members)
        await new Promise((resolve) => setTimeout(resolve, 5))
      return
    case 'turns':
      return turnsAt(command.names, command.load, command.span)
    case 'hold':
      held = await node().locks.acquire(command.name, { waitForQuorum: true })
      return now()
    case 'release':
      held?.release()
      return
    case 'usage':
      return standing()
    case 'leave':
      await node().leave()
  }
})

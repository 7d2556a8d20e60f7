/** Bytes of heap for each name that a node knows. */
import { joinNode } from '../../packages/mesh/dist/join.js'
import type { Held } from '../../packages/mesh/dist/locks/held.js'
import { SHORTEST_LEASE } from '../../packages/mesh/dist/protocol/record.js'
import { PATIENT } from './talk.ts'

interface Touched {
  /** Used once, and at rest. */
  readonly touched: number
  /** What remains of them after `forget`. */
  readonly forgotten: number
  /** Names that were touched in a second. */
  readonly rate: number
}

/** The first rounds also grow compiled code and tables, which stay. */
const ROUNDS = 3
/** How many names are asked for in one turn of the event loop. */
const AT_ONCE = 10_000
/** Bytes that count as something freed: a byte for each of many names is more. */
const FREED = 10_000

/** Bytes for each of so many names. */
export async function memory(count: number): Promise<Touched & { readonly held: number }> {
  const names = Array.from({ length: count }, (_, i) => `orders/${i}`)
  let last = await touch(names)
  for (let round = 1; round < ROUNDS; round += 1) last = await touch(names)
  return { ...last, held: await hold(names) }
}

async function touch(names: readonly string[]): Promise<Touched> {
  // A tick puts at least a hundred names to rest. A short lease has short ticks, and a mesh of one does not lose it.
  const mesh = await joinNode({ lease: SHORTEST_LEASE })
  const before = await heap()
  const started = performance.now()
  for (const [i, name] of names.entries()) {
    ;(await mesh.locks.acquire(name)).release()
    if (i % AT_ONCE === 0) await new Promise(setImmediate)
  }
  const rate = (1000 * names.length) / (performance.now() - started)
  while (mesh.namesAwake > 0) await mesh.pause()
  const touched = ((await heap()) - before) / names.length
  await mesh.forget()
  const forgotten = ((await heap()) - before) / names.length
  await mesh.leave()
  return { touched, forgotten, rate }
}

/** All at the same time. */
async function hold(names: readonly string[]): Promise<number> {
  const mesh = await joinNode({ lease: PATIENT })
  const before = await heap()
  const held: Held[] = []
  for (const name of names) {
    held.push(await mesh.locks.acquire(name))
    if (held.length % AT_ONCE === 0) await new Promise(setImmediate)
  }
  const grown = (await heap()) - before
  await mesh.leave()
  return grown / held.length
}

/** When collecting frees nothing more. What weak references held is freed a turn of the event loop later. */
async function heap(): Promise<number> {
  for (let used = Number.POSITIVE_INFINITY; ; ) {
    globalThis.gc?.()
    await new Promise(setImmediate)
    const { heapUsed } = process.memoryUsage()
    if (heapUsed > used - FREED) return heapUsed
    used = heapUsed
  }
}

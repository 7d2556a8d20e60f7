/** Every algorithm of the catalogue that can serve locks keeps what the mesh promises, over memory and over TCP. */
import { catalogue } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import type { Lock } from '../src/locks/lock-manager.ts'
import type { MeshNode } from '../src/mesh.ts'
import { isServable } from './is-servable.ts'
import { type Medium, meshes } from './meshes.ts'
import { hold } from './web-locks/worlds.ts'
import '../check/texts.ts'

const served = catalogue.filter(({ facts }) => isServable(facts.name)).map(({ facts }) => facts)

test('most of the catalogue serves', () => {
  expect(served.length).toBeGreaterThan(25)
})

/** Looks on at who is inside which name, and with what fence. */
class Witness {
  readonly #inside = new Map<string, number>()
  readonly #fences = new Map<string, bigint>()
  turns = 0

  async visit({ name, fence }: Lock): Promise<void> {
    expect(this.#inside.get(name) ?? 0).toBe(0)
    expect(fence).toBeGreaterThan(this.#fences.get(name) ?? -1n)
    this.#inside.set(name, 1)
    this.#fences.set(name, fence)
    await new Promise(setImmediate)
    this.#inside.set(name, 0)
    this.turns += 1
  }
}

function takeTurns(nodes: readonly MeshNode[], turns: number, witness: Witness): Promise<unknown> {
  return Promise.all(
    Array.from({ length: turns }, (_, i) =>
      get(nodes, i % nodes.length).locks.request(`name ${Math.floor(i / nodes.length) % 2}`, (lock) =>
        witness.visit(lock),
      ),
    ),
  )
}

/** What passes a codec is shown by its own test, for all of them. */
const mediaOf = (i: number): Medium[] => (i % extent(6, 1) === 0 ? ['memory', 'tcp'] : ['memory'])

describe.concurrent.each(served.map((facts, i) => [facts.name, facts, mediaOf(i)] as const))(
  '%s',
  (_, { name, sharedMode }, media) => {
    test.each(media)('over %s', async (medium) => {
      // No lease is to end here, on a busy machine either.
      const [a, b, c] = await meshes(3, medium, name)
      const witness = new Witness()
      await takeTurns([a, b, c], 18, witness)

      // A view ends in the middle: one holds a lock, others wait, and one goes.
      const held = await a.locks.acquire('held')
      const waits = b.locks.acquire('held')
      const rest = takeTurns([a, b], 6, witness)
      await c.leave()
      await rest
      while (a.status.members.length > 2) await a.pause()
      expect(held.isHeld).toBe(true)
      held.release()
      const next = await waits
      expect(next.fence).toBeGreaterThan(held.fence)
      next.release()
      await takeTurns([a, b], 6, witness)
      expect(witness.turns).toBe(30)

      // Callers of one node share with every algorithm; those of two nodes where the algorithm knows of it.
      const sharers = sharedMode ? [a, b, a] : [a, a, a]
      const readers = sharers.map((node) => hold(node.locks, 'shared', { mode: 'shared' }))
      await Promise.all(readers.map(({ entered }) => entered))
      const writer = hold(b.locks, 'shared')
      await Promise.all(readers.map((reader) => reader.release()))
      await writer.entered
      await writer.release()
      await Promise.all([a.leave(), b.leave()])
    })
  },
)

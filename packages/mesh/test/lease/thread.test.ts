import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Worker } from 'node:worker_threads'
import { get } from '@turnwise/core/bounds'
import { freeAddresses } from '@turnwise/fleet/ports'
import { expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { type JoinOptions, join } from '../../src/join.ts'
import { LockLostError } from '../../src/locks/errors.ts'
import type { Mesh } from '../../src/surface.ts'
import { block } from '../block.ts'

const LEASE = 600

/** Three nodes, a first. */
async function joined(optionsOf: (id: string) => JoinOptions = () => ({})): Promise<Mesh[]> {
  const ids = ['a', 'b', 'c']
  const peers = await freeAddresses(ids)
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  return Promise.all(
    ids.map((id) =>
      join({
        id,
        peers,
        stateDir: path.join(directory, id),
        lease: LEASE,
        firstStart: true,
        timeout: 20_000,
        ...optionsOf(id),
      }),
    ),
  )
}

test('a mesh of one keeps its lock however long the event loop is blocked', async () => {
  const node = await join({ lease: LEASE })
  const held = await node.locks.acquire('L')
  block(3 * LEASE)
  expect(held.isHeld).toBe(true)
  // Whatever the blocked loop has to do by now: ticks, and what the lease wanted.
  await new Promise((resolve) => setTimeout(resolve, LEASE / 5))
  expect(held.signal.aborted).toBe(false)
  expect(node.metrics().leaseLosses).toBe(0)
  await node.leave()
})

test('a blocked event loop does not lie: what was lost meanwhile is known at once', async () => {
  const nodes = await joined()
  const node = get(nodes, 0)
  const held = await node.locks.acquire('L')
  const reasons: unknown[] = []
  held.signal.addEventListener('abort', () => reasons.push(held.signal.reason))
  block(3 * LEASE)
  expect(held.isHeld).toBe(false)
  expect(() => held.assertHeld()).toThrow(LockLostError)
  expect(held.signal.aborted).toBe(true)
  expect(reasons).toEqual([expect.any(LockLostError)])
  const again = await node.locks.acquire('L', { waitForQuorum: true })
  expect(again.fence).toBeGreaterThan(held.fence)
  await Promise.all(nodes.map((each) => each.leave()))
})

test('a lease thread that dies takes its node out of the mesh: what it held is lost, and the others go on', async () => {
  const threads: Worker[] = []
  const started = (worker: Worker) => threads.push(worker)
  process.on('worker', started)
  const lines: string[] = []
  // So long that no busy machine lets it lapse; and only a has a thread.
  const options = { lease: 3000, log: (line: string) => void lines.push(line) }
  const nodes = await joined((id) => ({ ...options, thread: id === 'a' }))
  process.off('worker', started)
  const [a, b] = atLeast(2, nodes)
  expect(threads).toHaveLength(1)
  const held = await a.locks.acquire('L')
  const waiting = a.locks.acquire('L').catch((error: unknown) => error)
  const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve, { once: true }))
  await get(threads, 0).terminate()
  await lost
  expect(held.isHeld).toBe(false)
  expect(() => held.assertHeld()).toThrow()
  expect(await waiting).toMatchObject({ name: 'InvalidStateError' })
  await expect(a.locks.acquire('L')).rejects.toThrow('node a is not in its mesh: its lease thread has died')
  expect(lines).toContain('node a stops: its lease thread has died')
  const next = await b.locks.acquire('L', { waitForQuorum: true })
  expect(next.fence).toBeGreaterThan(held.fence)
  await Promise.all(nodes.map((each) => each.leave()))
})

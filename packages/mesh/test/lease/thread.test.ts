import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { join } from '../../src/join.ts'
import { LockLostError } from '../../src/locks/errors.ts'
import { freeAddress } from '../free-address.ts'

const LEASE = 600

/** The event loop does nothing else for so long. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

test('a blocked event loop does not lie: what was lost meanwhile is known at once', async () => {
  const ids = ['a', 'b', 'c']
  const addresses = await Promise.all(ids.map(async (id) => [id, await freeAddress()] as const))
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const nodes = await Promise.all(
    ids.map((id) =>
      join({
        id,
        peers: Object.fromEntries(addresses),
        stateDir: path.join(directory, id),
        lease: LEASE,
        firstStart: true,
        timeout: 20_000,
      }),
    ),
  )
  const [node] = nodes
  const held = await node.locks.acquire('L')
  const reasons: unknown[] = []
  held.signal.addEventListener('abort', () => reasons.push(held.signal.reason))
  block(3 * LEASE)
  expect(held.isHeld).toBe(false)
  expect(() => held.assertHeld()).toThrow(LockLostError)
  expect(held.signal.aborted).toBe(true)
  expect(reasons).toEqual([expect.any(LockLostError)])
  const again = await node.locks.acquire('L', { timeout: 20_000, waitForQuorum: true })
  expect(again.fence).toBeGreaterThan(held.fence)
  await Promise.all(nodes.map((each) => each.leave()))
}, 60_000)

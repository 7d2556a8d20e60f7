import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freeAddresses } from '@turnwise/fleet/ports'
import { expect, test } from 'vitest'
import { joinNode } from '../../src/join.ts'

// The thread looks a name of a host up before it listens, and hears meanwhile that it is to end.
test.each(['localhost', '127.0.0.1'])(
  'join is rejected with the reason if the disk fails while the lease thread starts: %s',
  async (host) => {
    const free = await freeAddresses(['a', 'b', 'c'])
    const peers = Object.fromEntries(
      Object.entries(free).map(([id, at]) => [id, at.replace(/^.*:/, `${host}:`)]),
    )
    const root = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
    const join = (id: string, more: object) =>
      joinNode({
        id,
        peers,
        stateDir: path.join(root, id),
        lease: 3000,
        firstStart: true,
        ...more,
      })
    // Only a voter starts its thread when it has joined, so a has joined before.
    const [a, b, c] = await Promise.all([
      join('a', { thread: false }),
      join('b', { thread: false }),
      join('c', { thread: false }),
    ])
    await a.leave()
    let threads = 0
    const started = () => {
      threads += 1
      rmSync(path.join(root, 'a'), { recursive: true, force: true })
      // Another view, so that a must write a promise.
      b.forget().catch(() => {})
    }
    process.on('worker', started)
    try {
      // If the thread runs before the disk fails, join resolves, and the node ends after that.
      const joined = join('a', {}).then(async (node) => {
        await node.ended
        await node.locks.acquire('L')
      })
      await expect(joined).rejects.toThrow(/ENOENT|is gone/)
      expect(threads).toBe(1)
    } finally {
      process.off('worker', started)
      await Promise.all([b.leave(), c.leave()])
      rmSync(root, { recursive: true, force: true })
    }
  },
)

/** The recipe of docs/locks.md for BullMQ, with the library and a real Redis: what it does by itself, and what a lock adds. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { type Job, Queue, Worker, type WorkerOptions } from 'bullmq'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Server, serverObstacle, startServer } from '../../../../test/servers.ts'
import type { MeshNode } from '../../src/mesh.ts'
import { type Mesh, surfaceOf } from '../../src/surface.ts'
import { meshes } from '../meshes.ts'

const noRedis = serverObstacle('redis')
if (noRedis !== null) console.log(`left out: BullMQ; ${noRedis}`)

/** Of a busy machine. No lease shall end here. */
const LEASE = 8000

describe.skipIf(noRedis !== null)('BullMQ', () => {
  let folder = ''
  let server: Server
  let nodes: readonly MeshNode[] = []
  let all: readonly Mesh[] = []
  const open: (Queue | Worker)[] = []
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tw-'))
    server = await startServer('redis', folder)
    nodes = await meshes(3, 'memory', undefined, LEASE)
    all = nodes.map(surfaceOf)
  })
  afterAll(async () => {
    await Promise.all(open.map((each) => (each instanceof Worker ? each.close(true) : each.close())))
    await Promise.all(nodes.map((node) => node.leave()))
    await server?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const connection = () => ({ host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null })

  function queue(name: string): Queue {
    const made = new Queue(name, { connection: connection() })
    open.push(made)
    return made
  }

  function worker(name: string, options: Partial<WorkerOptions>, run: (job: Job) => Promise<void>): void {
    const made = new Worker(name, run, { connection: connection(), ...options })
    // A job that another worker has finished cannot be finished once more.
    made.on('error', () => {})
    open.push(made)
  }

  /** The first worker does not renew its claim to the job, as if it had been stopped; the second looks for such jobs. */
  async function stalled(name: string, run: (number: number, job: Job) => Promise<void>): Promise<void> {
    const begun = gate()
    worker(name, { lockDuration: 50, skipLockRenewal: true, skipStalledCheck: true }, (job) => {
      begun.open()
      return run(0, job)
    })
    await queue(name).add('bill', {}, { jobId: 'order-7' })
    await begun.opened
    worker(name, { stalledInterval: 20, maxStalledCount: 100 }, (job) => run(1, job))
  }

  test('a job that stalls runs again, although its first run goes on', async () => {
    const runs = [gate(), gate()]
    await stalled('bare', async (number) => {
      get(runs, number).open()
      if (number === 0) await get(runs, 1).opened
    })
    // The first run ends only when the second has begun: both are inside.
    await Promise.all(runs.map(({ opened }) => opened))
  })

  test('under a lock of its own it waits for the first run, and has a higher fence', async () => {
    const again = gate()
    const done = gate()
    const told: string[] = []
    const fences: bigint[] = []
    await stalled('locked', async (number, job) => {
      if (number === 1) again.open()
      await get(all, number).locks.request(`bill/${job.id}`, async (lock) => {
        fences.push(lock.fence)
        told.push(`${number} begins`)
        if (number === 0) await again.opened
        // The second run has asked by now.
        while (number === 0 && (await get(all, 0).locks.query()).pending.length === 0);
        told.push(`${number} ends`)
      })
      if (number === 1) done.open()
    })
    await done.opened
    expect(told).toEqual(['0 begins', '0 ends', '1 begins', '1 ends'])
    expect(fences[1]).toBeGreaterThan(get(fences, 0))
  })

  test('its schedulers make one job for each repeat, and one worker gets it: they need no `once`', async () => {
    const ran: string[] = []
    const enough = gate()
    for (const _ of all) {
      await queue('repeats').upsertJobScheduler('nightly', { every: 200 }, { name: 'report' })
      worker('repeats', {}, async ({ id }) => {
        ran.push(String(id))
        if (new Set(ran).size === 4) enough.open()
      })
    }
    await enough.opened
    expect(ran).toEqual([...new Set(ran)])
  })
})

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

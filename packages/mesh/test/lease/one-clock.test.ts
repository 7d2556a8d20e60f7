import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { freeAddress } from '@turnwise/fleet/ports'
import { expect, test } from 'vitest'
import { join } from '../../src/join.ts'
import { haveThreadsOneClock } from '../../src/lease/clock.ts'

const READING = "require('node:worker_threads').parentPort.postMessage(process.hrtime.bigint())"

test('whether the threads of this runtime have one clock is known', async () => {
  const before = process.hrtime.bigint()
  const worker = new Worker(READING, { eval: true })
  const [there] = (await once(worker, 'message')) as [bigint]
  expect(before <= there && there <= process.hrtime.bigint()).toBe(haveThreadsOneClock)
  await worker.terminate()
})

test('a lease thread is refused where threads have no clock in common', async () => {
  const stateDir = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const asked = join({ id: 'a', peers: { a: await freeAddress() }, stateDir, thread: true, firstStart: true })
  if (haveThreadsOneClock) await (await asked).leave()
  else await expect(asked).rejects.toThrow('thread: true needs Node')
})

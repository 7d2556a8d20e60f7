/** Voters that are killed and started again say what they owe, and why (R19). */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeAddresses } from '@turnwise/fleet/ports'
import { Program } from '@turnwise/fleet/program'
import { afterEach, expect, test } from 'vitest'
import { program } from '../../../../test/program.ts'
import { readState } from '../../src/disk/state-file.ts'
import type { JoinOptions } from '../../src/join.ts'
import { stampPath } from '../../src/lease/stamp.ts'
import { readRecords, whyNoMemory } from '../../src/lease/stamp-file.ts'
import { PATIENCE, removeStamps } from './fleet.ts'

const obstacle = process.platform === 'linux' ? whyNoMemory('/dev/shm') : 'only Linux has stamps'
const LEASE = 1000
const IDS = ['a', 'b', 'c']

let root = ''
let running: Program[] = []

afterEach(async () => {
  if (root === '') return
  await killed()
  await removeStamps(root)
  await rm(root, { recursive: true })
})

async function killed(): Promise<void> {
  for (const each of running) each.kill('SIGKILL')
  await Promise.all(running.splice(0).map(({ code }) => code))
}

const RESTARTED = await program(new URL('restarted.ts', import.meta.url))

function started(options: JoinOptions): Program {
  const each = new Program([RESTARTED, JSON.stringify(options)])
  running.push(each)
  return each
}

/** What the process said of this kind. */
function told(each: Program, event: string): Promise<Readonly<Record<string, unknown>>> {
  const find = () => {
    const line = each.out
      .split('\n')
      .find((text) => text.includes(`{"event":"${event}"`) && text.endsWith('}'))
    return line === undefined ? null : (JSON.parse(line) as Record<string, unknown>)
  }
  return each.until(event, find)
}

async function pathOf(id: string): Promise<string> {
  const durable = readState(await readFile(join(root, id, 'state'), 'utf8'))
  if (typeof durable === 'string') throw new Error(durable)
  return stampPath(durable.voterId)
}

/** Waits until one record of its stamp has moved on: 0 is the record of the program, 1 that of its lease thread. */
async function goesOn(id: string, which: 0 | 1): Promise<void> {
  const path = await pathOf(id)
  const reached = () => {
    const records = readRecords(path)
    return typeof records === 'string' ? Number.NEGATIVE_INFINITY : records[which].until
  }
  for (let times = 0; times < 3; times += 1) {
    const before = reached()
    await expect.poll(reached, { timeout: PATIENCE }).toBeGreaterThan(before)
  }
}

test.skipIf(obstacle !== null)('all voters are killed: each owes from its last ack on', async () => {
  root = await mkdtemp(join(tmpdir(), 'tw-'))
  const peers = await freeAddresses(IDS)
  const start = (id: string, more: Partial<JoinOptions> = {}) =>
    started({ id, peers, stateDir: join(root, id), lease: LEASE, thread: id !== 'c', ...more })
  const first = IDS.map((id) => start(id, { firstStart: true }))
  await Promise.all(first.map((each) => told(each, 'joined')))
  await Promise.all([goesOn('a', 1), goesOn('b', 1), goesOn('c', 0)])
  await killed()

  const owed = await Promise.all(IDS.map((id) => told(start(id), 'leases owed')))
  for (const each of owed) {
    expect(each).toMatchObject({ stamp: 'counts' })
    // Starting a process takes longer than a stamp is ahead of the last ack.
    expect(each['left']).toBeLessThan(LEASE)
  }
})

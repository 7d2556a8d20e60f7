/** R26 over TCP and with directories: a majority of disks is lost for good, and an operator orders a new first view. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freeAddresses } from '@turnwise/fleet/ports'
import { expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { type JoinOptions, joinNode } from '../src/join.ts'
import type { MeshNode } from '../src/mesh.ts'

const LEASE = 2000

async function leaseOver(node: MeshNode): Promise<void> {
  while (node.status.leaseLeft > 0) await node.pause()
}

/** Above all epochs that the clock gives to a first view. */
const EPOCH = 2 ** 35

test('an order to a node whose disk is lost, and that is alone: its first view has the epoch', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const options = { id: 'a', peers: await freeAddresses(['a']), stateDir: directory, thread: false }
  // Its first view begins before the order is read.
  const node = await joinNode({ ...options, firstStart: true, genesis: { epoch: EPOCH } })
  expect(node.status.epoch).toBe(EPOCH)
  await node.leave()
  await expect(joinNode({ ...options, genesis: { epoch: EPOCH + 1 } })).rejects.toThrow(
    /a majority of view \d+ still answers/,
  )
})

test('R26: the mesh halts, one node is given the order, and all go on with higher fences', async () => {
  const ids = ['a', 'b', 'c']
  const peers = await freeAddresses(ids)
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const stateDir = (id: string) => path.join(directory, id)
  const lines: string[] = []
  const start = (id: string, options: JoinOptions = {}) =>
    joinNode({
      id,
      peers,
      stateDir: stateDir(id),
      lease: LEASE,
      thread: false,
      log: (line) => lines.push(line),
      ...options,
    })
  const [a, ...others] = atLeast(1, await Promise.all(ids.map((id) => start(id, { firstStart: true }))))
  const before = await a.locks.acquire('L')
  before.release()
  await expect(a.orderGenesis({ epoch: EPOCH })).rejects.toThrow(
    /^node a refuses a new first view: a majority of view \d+ still answers/,
  )

  await Promise.all(others.map((node) => node.leave()))
  for (const id of ['b', 'c']) rmSync(stateDir(id), { recursive: true })
  const returning = Promise.all(['b', 'c'].map((id) => start(id)))
  await leaseOver(a)
  await expect(a.locks.acquire('L')).rejects.toMatchObject({ name: 'NoQuorumError' })

  for (const epoch of [0, 1.5, 2 ** 36 - 1])
    await expect(a.orderGenesis({ epoch })).rejects.toThrow(
      `genesis epoch ${epoch} is not a whole number from 1 to 51539607551`,
    )
  await expect(a.orderGenesis({ epoch: EPOCH, voters: ['z'] })).rejects.toThrow('voter "z" is not among')
  const hole = ['a', undefined] as string[]
  await expect(a.orderGenesis({ epoch: EPOCH, voters: hole })).rejects.toThrow('the id of a node: nothing')
  await expect(a.orderGenesis({ epoch: 1 })).rejects.toThrow(/epoch 1 is not above \d+, the highest one used/)
  await a.orderGenesis({ epoch: EPOCH })
  expect(lines).toContain(`an operator ordered a new first view of a, b, c with epoch ${EPOCH}`)
  const nodes = [a, ...(await returning)]
  for (const node of nodes) {
    const held = await node.locks.acquire('L', { waitForQuorum: true })
    expect(held.fence).toBeGreaterThan(before.fence)
    expect(held.fence >> 27n).toBeGreaterThanOrEqual(BigInt(EPOCH))
    held.release()
  }

  // Started again with an order, while the others are a majority.
  await a.leave()
  await expect(start('a', { genesis: { epoch: EPOCH + 4000 } })).rejects.toThrow(
    /a majority of view 34\d+ still answers/,
  )
  await Promise.all(nodes.map((node) => node.leave()))
})

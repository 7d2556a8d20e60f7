/**
 * A program that uses turnwise as it is installed: it takes a lock alone, and then among three nodes over TCP, whose leases
 * are kept by threads. The checks of the packages compile it in every way, and run it on every runtime.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import {
  type Held,
  InvalidInput,
  join,
  type Lock,
  type LockOptions,
  LockStolenError,
  type Mesh,
} from 'turnwise'
import { type Register, registerContract } from 'turnwise/testing'

const NODES = ['a', 'b', 'c']
const TURNS = 5
/** No pause of a busy machine shall end a lease. */
const LEASE_MS = 20_000

async function alone(): Promise<void> {
  const mesh: Mesh = await join()
  const fence: bigint = await mesh.locks.request('invoices', (lock: Lock) => {
    lock.assertHeld()
    return lock.fence
  })
  const options: LockOptions = { mode: 'shared' }
  const held: Held = await mesh.locks.acquire('invoices', { ...options, ifAvailable: false })
  assert.ok(held.fence > fence)
  held.release()
  const robbed = mesh.locks.request('invoices', () =>
    mesh.locks.request('invoices', { steal: true }, () => 1),
  )
  await assert.rejects(robbed, LockStolenError)
  await mesh.leave()
  await assert.rejects(join({ lease: 1 }), InvalidInput)
}

/** A register that keeps nothing, under the tests for those of others. */
async function tested(): Promise<void> {
  const empty: Register = {
    read: async () => null,
    list: async () => new Map(),
    cas: async () => ({ kind: 'refused' }),
    close: async () => {},
  }
  const tests: (() => Promise<void>)[] = []
  registerContract(async () => empty, { test: (_name, body) => tests.push(body) })
  const ends = await Promise.allSettled(tests.map((body) => body()))
  assert.ok(ends.some(({ status }) => status === 'rejected'))
}

async function together(): Promise<void> {
  const peers = await freeAddresses()
  const home = mkdtempSync(pathOf(tmpdir(), 'turnwise-consumer-'))
  const settings = { peers, lease: LEASE_MS, firstStart: true }
  const meshes = await Promise.all(
    NODES.map((id) =>
      join({ ...settings, id, stateDir: pathOf(home, id), secret: 'a secret of many letters' }),
    ),
  )
  let count = 0
  const turn = async () => {
    const seen = count
    await new Promise((resolve) => setTimeout(resolve, 1))
    count = seen + 1
  }
  await Promise.all(
    meshes.map(async ({ locks }) => {
      for (let i = 0; i < TURNS; i += 1) await locks.request('count', turn)
    }),
  )
  assert.equal(count, NODES.length * TURNS)
  for (const mesh of meshes) await mesh.leave()
  rmSync(home, { recursive: true })
}

async function freeAddresses(): Promise<Record<string, string>> {
  const servers = NODES.map(() => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return Object.fromEntries(NODES.map((id, i) => [id, `127.0.0.1:${ports[i]}`]))
}

async function main(): Promise<void> {
  await alone()
  await tested()
  await together()
  console.log('took turns alone and among three')
}

void main()

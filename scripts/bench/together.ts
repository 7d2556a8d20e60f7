/**
 * Processor time of a hand-off when all nodes are in one process, beside a bare token that goes round as many sockets there.
 * Compilers are done after some ten thousand hand-offs, and no process has to be woken. So the figure hardly depends on what else
 * the machine does, and shows what a change of the code is worth.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { freeAddresses } from '@turnwise/fleet/ports'
import { join } from '../../packages/mesh/dist/join.js'
import { idsOf } from './fleet.ts'
import { spent } from './processor.ts'
import { PATIENT } from './talk.ts'

/** Hand-offs of one round. */
const ROUND = 20_000
const ROUNDS = 6

/** Makes hand-offs until there are so many. */
type Round = (limit: number) => Promise<void>

/** Microseconds of processor time for each hand-off, in the cheapest round. */
async function measured(round: Round): Promise<number> {
  const costs: number[] = []
  for (let i = 1; i <= ROUNDS; i += 1) {
    const before = spent()
    await round(i * ROUND)
    costs.push((spent().cpu - before.cpu) / ROUND)
  }
  return Math.min(...costs)
}

/** Each node takes turns at one lock. */
export async function lockTogether(algorithm: string, nodes: number): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-bench-'))
  const peers = await freeAddresses(idsOf(nodes))
  const settings = { peers, algorithm, lease: PATIENT, firstStart: true, timeout: 60_000 }
  const meshes = await Promise.all(
    idsOf(nodes).map((id) => join({ id, stateDir: path.join(directory, id), ...settings })),
  )
  while (meshes.some(({ status }) => status.members.length < nodes))
    await new Promise((resolve) => setTimeout(resolve, 5))
  let turns = 0
  const round: Round = async (limit) => {
    const takers = meshes.map(async ({ locks }) => {
      while (turns < limit) {
        const held = await locks.acquire('invoices')
        turns += 1
        held.release()
      }
    })
    await Promise.all(takers)
  }
  try {
    return await measured(round)
  } finally {
    await Promise.all(meshes.map((mesh) => mesh.leave()))
    rmSync(directory, { recursive: true, force: true })
  }
}

const TOKEN = Buffer.from([1])

/** One byte, from socket to socket. */
export async function bareTogether(nodes: number): Promise<number> {
  const servers: Server[] = []
  const next: Socket[] = []
  let turns = 0
  let limit = 0
  let done = () => {}
  for (let i = 0; i < nodes; i += 1) {
    const server = createServer({ noDelay: true }, (socket) => {
      socket.on('data', () => {
        turns += 1
        if (turns < limit) get(next, i).write(TOKEN)
        else done()
      })
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
  }
  for (let i = 0; i < nodes; i += 1) {
    const { port } = get(servers, (i + 1) % nodes).address() as AddressInfo
    await new Promise<void>((resolve) => {
      next.push(connect({ port, host: '127.0.0.1', noDelay: true }, resolve))
    })
  }
  const round: Round = (given) =>
    new Promise((resolve) => {
      limit = given
      done = resolve
      get(next, 0).write(TOKEN)
    })
  try {
    return await measured(round)
  } finally {
    for (const socket of next) socket.destroy()
    for (const server of servers) server.close()
  }
}

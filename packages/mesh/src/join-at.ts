/** `join` at a meeting place: one text says where the mesh meets, and members find each other there. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { assemble } from './assemble.ts'
import { memoryDisk } from './disk/disk.ts'
import { configOf, type JoinOptions, MESH } from './join.ts'
import { requireFitting } from './join-options.ts'
import { NoQuorumError } from './locks/errors.ts'
import type { MeshNode } from './mesh.ts'
import { Journal } from './observe/journal.ts'
import { harmless, type Watched } from './observe/observer.ts'
import { loadApi, Telemetry } from './observe/telemetry.ts'
import { MOST_MEMBERS } from './protocol/fit.ts'
import { type Place, readPlace } from './register/place.ts'
import { PATIENCE_MS, type Register } from './register/register.ts'
import { createCodec } from './transport/codec.ts'
import { SessionTransport } from './transport/session-transport.ts'
import { TcpTransport } from './transport/tcp.ts'
import { type Venue, venueAt } from './venue.ts'

export async function joinAt(
  at: string,
  options: JoinOptions,
  whenMade?: (node: MeshNode) => void,
): Promise<MeshNode> {
  const place = readPlace(at)
  requireFitting(place, options)
  // All other mistakes are reported before anything is opened.
  const settings = configOf({ ...options, id: 'alone' })
  const { lease: leaseMs } = settings.settings
  const register = await open(place, options.mesh ?? MESH, leaseMs / 3)
  const venue = await venueAt(register, options).catch(async (error: unknown) => {
    await register.close()
    throw error
  })
  // From here on the node owns the register. It may still leave after this has failed.
  return attend(place, register, venue, { ...options, settings }, whenMade)
}

/** A place that cannot be reached is not a mistake of the caller. */
async function open(place: Place, mesh: string, patience: number): Promise<Register> {
  try {
    // No lease runs yet, so there is time for a server that is busy with many members.
    return await place.open(mesh, { patience, opening: Math.max(patience, PATIENCE_MS) })
  } catch (error) {
    if (error instanceof InvalidInput) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new NoQuorumError(`the mesh at ${place.name} cannot be reached: ${why}`, { cause: error })
  }
}

async function attend(
  { engine, name }: Place,
  register: Register,
  venue: Venue,
  options: JoinOptions & { readonly settings: ReturnType<typeof configOf> },
  whenMade?: (node: MeshNode) => void,
): Promise<MeshNode> {
  // In a directory the others know at once that a process has ended. Elsewhere they would wait for its lease.
  const { mesh = MESH, keepAlive = engine !== 'directory', settings, waitOutLease = false } = options
  const first = venue.next()
  const config = { ...settings, peers: [first.id], voters: [] }
  const { algorithm, lease: leaseMs } = config.settings
  const journal = new Journal(first.id, options.log)
  const codec = createCodec({ algorithm, nodes: MOST_MEMBERS })
  const wiring = {
    mesh,
    keepAlive,
    codec,
    log: journal.passing,
    refused: journal.refused,
    isShy: true,
    isOpen: true,
  }
  const transport = new SessionTransport(
    (id, address) => new TcpTransport({ ...wiring, ...venue.wiring, id, listen: address, peers: new Map() }),
    first.id,
    venue.readAddress(first.address),
  )
  const api = options.telemetry === 'auto' ? await loadApi(journal.noTelemetry) : null
  const observer = api === null ? null : (watched: Watched) => harmless(new Telemetry(api, watched))
  const attending = {
    ...venue,
    place: name,
    register,
    transport,
    patience: leaseMs / 3,
    life: waitOutLease ? '' : (register.process ?? ''),
    waitsOut: waitOutLease,
    first,
  }
  const parts = {
    id: first.id,
    config,
    transport,
    disk: memoryDisk(),
    journal,
    observer,
    whenMade,
    attending,
  }
  return assemble({ ...options, ...parts })
}

/** `join`: from options to a member of a mesh. */

import { createHash, randomUUID } from 'node:crypto'
import { env } from 'node:process'
import { readAlgorithmText } from '@turnwise/algorithms/former-settings'
import { load } from '@turnwise/algorithms/texts'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { joinOnce } from './alone.ts'
import { assemble, ending, type Parts } from './assemble.ts'
import { type Disk, memoryDisk } from './disk/disk.ts'
import { openStateDirectory } from './disk/state-directory.ts'
import type { AuditOptions } from './host/audit-trail.ts'
import type { Genesis } from './host/genesis.ts'
import { optionsFrom, requireAlone, requireOptions } from './join-options.ts'
import { haveThreadsOneClock, monotonic } from './lease/clock.ts'
import { SharedLedger } from './lease/shared-ledger.ts'
import { LeaseMemory } from './lease/shared-memory.ts'
import { ThreadedTransport } from './lease/threaded-transport.ts'
import type { MeshNode } from './mesh.ts'
import { Disagreements, SEPARATOR } from './observe/disagreements.ts'
import { Journal } from './observe/journal.ts'
import type { Log } from './observe/logger.ts'
import { harmless, type Watched } from './observe/observer.ts'
import { loadApi, Telemetry } from './observe/telemetry.ts'
import { epochOf } from './protocol/epochs.ts'
import { LAST_EPOCH, TURNS } from './protocol/fence.ts'
import { MOST_MEMBERS, requireFit } from './protocol/fit.ts'
import { debtFor, LONGEST_LEASE, SHORTEST_LEASE } from './protocol/record.ts'
import { DEFAULT_ALGORITHM, SERVE_OTHERS } from './protocol/serving.ts'
import type { Config } from './protocol/state.ts'
import { type SecurityOptions, securityOf } from './security/security.ts'
import { type Mesh, surfaceOf } from './surface.ts'
import { shown } from './transport/checks.ts'
import { createCodec } from './transport/codec.ts'
import { LONGEST_TERM, type Terms } from './transport/handshake.ts'
import { requireId } from './transport/node-id.ts'
import type { Encounters } from './transport/outgoing.ts'
import { type Address, readAddress } from './transport/sockets.ts'
import { TcpTransport } from './transport/tcp.ts'
import type { Transport } from './transport/transport.ts'
import { zone as zoneCheck } from './transport/zone-check.ts'

/** The options of `join`. Without options: a mesh of one. */
export interface JoinOptions extends SecurityOptions {
  /**
   * Where the mesh meets: a directory of this machine (`./locks`), PostgreSQL (`postgres://…`) or etcd (`etcd://…`). All
   * processes that join there form one mesh. `join('./locks')` is the same.
   */
  readonly at?: string
  /** The name of this node among `peers`. At a meeting place: a name for people, by default the machine's name and the process id. */
  readonly id?: string
  /**
   * Where this node listens, as `host:port`. Default: its own address among `peers`; at PostgreSQL and etcd a free port of all interfaces.
   */
  readonly listen?: string
  /**
   * At PostgreSQL and etcd: the address at which the others reach this node, as `host:port`, if it is not where it listens. For containers
   * and networks that translate addresses.
   */
  readonly advertise?: string
  /** The address of every node, this one included; `addPeer` adds more. Without peers: a mesh of one. */
  readonly peers?: Readonly<Record<string, string>>
  /** The nodes that vote on views when the mesh begins. Default: all peers, of more than five the first five by name, and then spread over zones. */
  readonly voters?: readonly string[]
  /** Where this node keeps what it must not forget, on a local disk. Required with peers. A directory belongs to one node. */
  readonly stateDir?: string
  /** Milliseconds after which the others may go on without a silent node. Default 2000. */
  readonly lease?: number
  /** How much the rates of clocks may differ, as a fraction. Default 0.002. */
  readonly drift?: number
  /** An algorithm of the catalogue, with settings if it needs any: `ricart-agrawala priority=20`. Default token-queue. */
  readonly algorithm?: string
  /** A name for the mesh, the same at all nodes. Nodes of another mesh are refused. Default `mesh`. */
  readonly mesh?: string
  /**
   * Where this node runs, such as `eu-west`. Nodes of one zone are near each other: the default algorithm keeps turns in a zone for a while, and
   * voters are spread over zones. Default: TURNWISE_ZONE in the environment, or none.
   */
  readonly zone?: string
  /** How many callers of this node in a row may get a lock while callers elsewhere wait, from 1 to 16. Default 1. */
  readonly localTurns?: number
  /** Milliseconds without a majority after which requests fail with NoQuorumError. Default: three leases. */
  readonly quorumTimeout?: number
  /**
   * Whether a request inside the callback of another request belongs to it, so that deadlocks are found without `holder`. It
   * follows calls by AsyncLocalStorage, which costs time at every promise of the program. Default false.
   */
  readonly nesting?: boolean
  /** Milliseconds that a caller waits before its node looks for a deadlock; 0: never. Default 1000. */
  readonly deadlockAfter?: number
  /** How many names a node remembers before it asks for a new view, which forgets idle names. Default a million. */
  readonly mostNames?: number
  /** Milliseconds that `join` waits for a majority, or for every voter if this is the first start. Default: no limit. */
  readonly timeout?: number
  /**
   * States that nothing ran here before, so the first view need not wait for leases that lost disks may have acknowledged. Set
   * it for the first start only.
   */
  readonly firstStart?: boolean
  /**
   * An operator's order (R26), for a mesh that has lost a majority of its disks for good. The voters, by default those of
   * the mesh, make a new first view with this epoch, which must exceed every epoch ever used. Refused while a majority
   * answers.
   */
  readonly genesis?: Genesis
  /**
   * Whether a separate thread renews the lease, so that a busy event loop does not lose it at once. A node that does not vote starts it
   * at its first request. Default true; on Bun and Deno false.
   */
  readonly thread?: boolean
  /**
   * Whether a node that has peers keeps its process alive until `leave`, as a server does. Default true, in a directory false. With
   * false the process ends when nothing else keeps it alive and no caller waits for a lock. The others then wait for the end of
   * its lease, or in a directory for nothing. A mesh of one never keeps it alive.
   */
  readonly keepAlive?: boolean
  /**
   * At a directory the others know at once that a process has ended, and go on. With true they wait until its lease has ended:
   * for a program whose child processes do the work and may outlive it. Default false.
   */
  readonly waitOutLease?: boolean
  /** Record what this node sees of one lock in a new file, for `turnwise replay`. */
  readonly record?: { readonly name: string; readonly file: string }
  /**
   * Write every event of this node and a digest of its effects to a file, for `turnwise audit`. The file contains the names of
   * locks and the `info` of callers.
   */
  readonly audit?: AuditOptions
  /** A logger like pino, or a function that gets one line for each warning and error. */
  readonly log?: Log
  /**
   * `auto`: if the program has `@opentelemetry/api` installed, spans for every wait and hold, and metrics. Default false:
   * loads nothing.
   */
  readonly telemetry?: 'auto' | false
}

/** The default voters. They do not depend on the order in which a node lists its peers. */
export function defaultVoters(peers: readonly string[]): readonly string[] {
  return peers.length > MOST_VOTERS ? peers.toSorted().slice(0, MOST_VOTERS) : peers
}

/** The default name of a mesh. */
export const MESH = 'mesh'
/** ρ: how far the rate of a clock may differ from real time. */
export const DEFAULT_DRIFT = 0.002
/** Each voter costs messages at every view and every lease. With five voters, two may fail. */
const MOST_VOTERS = 5

/**
 * Makes this process a node of a mesh. Resolves when it is a member of a view that a majority supports. The very first view needs every
 * voter once.
 *
 * ```js
 * const alone = await join() // a mesh of one: a process has one
 * const mesh = await join('./locks') // all processes of this machine that join this directory
 * const beside = await join(new URL('./locks', import.meta.url)) // the same, beside this file
 *
 * const fleet = await join({
 *   id: 'a',
 *   peers: { a: '10.0.0.1:7101', b: '10.0.0.2:7101', c: '10.0.0.3:7101' },
 *   stateDir: './state/a',
 * })
 * ```
 */
export function join(options?: JoinOptions): Promise<Mesh>
export function join(place: string | URL, options?: Omit<JoinOptions, 'at'>): Promise<Mesh>
export async function join(...given: readonly unknown[]): Promise<Mesh> {
  return surfaceOf(await joinOnce((claim) => joinNode(optionsFrom(given), undefined, claim)))
}

/**
 * `join` for the command line and for tests, with the whole node. `claim` throws if the node may not be a mesh of one, and returns the
 * lowest epoch for it.
 */
export async function joinNode(
  options: JoinOptions = {},
  whenMade?: (node: MeshNode) => void,
  claim = () => 0,
): Promise<MeshNode> {
  requireOptions(options)
  const { algorithm = DEFAULT_ALGORITHM } = options
  await load([readAlgorithmText(algorithm).name, ...SERVE_OTHERS])
  if (options.at !== undefined) {
    const { joinAt } = await import('./join-at.ts')
    return joinAt(options.at, options, whenMade)
  }
  const given = configOf(options)
  const id = options.id ?? 'alone'
  const addresses = addressesOf(options)
  if (addresses === null) requireAlone(options)
  // A state directory belongs to one node, and keeps its epochs.
  const lowest = addresses === null && options.stateDir === undefined ? claim() : 0
  const config = { ...given, firstEpoch: Math.max(given.firstEpoch ?? 0, lowest) }
  const journal = new Journal(id, options.log)
  const terms = termsOf(config)
  const encounters = new Disagreements(terms, monotonic)
  if (addresses !== null) journal.disagreements = encounters
  const parts = transportOf(
    { ...options, log: journal.connection, refused: journal.refused, terms, encounters },
    config,
    addresses,
  )
  const api = options.telemetry === 'auto' ? await loadApi(journal.noTelemetry) : null
  await Promise.all(ending)
  const disk = await diskOf(options, id, config, journal)
  if (parts.ledger !== undefined) parts.ledger.stamp = disk.stamp ?? null
  const observer = api === null ? null : (watched: Watched) => harmless(new Telemetry(api, watched))
  return assemble({ ...options, id, config, disk, addresses, journal, observer, whenMade, ...parts })
}

/** If the names of voters are too long for a handshake, a digest still distinguishes them. */
function termsOf({ voters, settings }: Config): Terms {
  const names = voters.toSorted().join(SEPARATOR)
  if (names.length <= LONGEST_TERM) return { ...settings, voters: names }
  const digest = createHash('sha256').update(names).digest('hex').slice(0, 16)
  const shortened = `${names.slice(0, LONGEST_TERM - 100)}… ${voters.length} in all, ${digest}`
  return { ...settings, voters: shortened }
}

function diskOf(
  { stateDir, mesh = MESH }: JoinOptions,
  id: string,
  { settings: { lease: leaseMs } }: Config,
  journal: Journal,
): Promise<Disk> {
  if (stateDir === undefined) return Promise.resolve(memoryDisk())
  return openStateDirectory(stateDir, { id, mesh, leaseMs, warn: journal.directory })
}

export function configOf(options: JoinOptions): Config {
  const {
    peers = {},
    algorithm = DEFAULT_ALGORITHM,
    lease: leaseMs = 2000,
    drift: driftFraction = DEFAULT_DRIFT,
    localTurns = 1,
  } = options
  const id = options.id ?? 'alone'
  const ids = Object.keys(peers).map(requireId)
  if (options.peers !== undefined && ids.length === 0)
    throw new InvalidInput('peers is empty: name the nodes, or leave it out for a mesh of one')
  if (ids.length > 0 && options.id === undefined)
    throw new InvalidInput('join with peers needs the id of this node')
  if (ids.length > 0 && !ids.includes(id)) {
    throw new InvalidInput(`"${id}" is not among the peers ${ids.join(', ')}`)
  }
  if (ids.length > 0 && options.stateDir === undefined) {
    throw new InvalidInput(
      'join with peers needs a stateDir: a voter that forgets its promises would break them',
    )
  }
  if (options.telemetry !== undefined && options.telemetry !== false && options.telemetry !== 'auto')
    throw new InvalidInput(`telemetry ${shown(options.telemetry)} is not "auto" or false`)
  requireNumber('lease', leaseMs, SHORTEST_LEASE, LONGEST_LEASE)
  requireNumber('drift', driftFraction, 0, 0.5)
  requireNumber('localTurns', localTurns, 1, TURNS)
  // Others are told it with places in line, and refuse any other.
  if (!Number.isInteger(localTurns))
    throw new InvalidInput(`localTurns ${localTurns} is not a whole number from 1 to ${TURNS}`)
  if (options.genesis !== undefined) requireEpoch(options.genesis.epoch)
  const everyone = ids.length > 0 ? ids : [id]
  requireFit(algorithm, everyone.length)
  if (algorithm.length > LONGEST_TERM)
    throw new InvalidInput(`algorithm: expected at most ${LONGEST_TERM} characters, got ${algorithm.length}`)
  const voters = options.voters ?? defaultVoters(everyone)
  const stray = voters.find((voter) => !everyone.includes(voter))
  if (stray !== undefined)
    throw new InvalidInput(`voter "${stray}" is not among the peers ${everyone.join(', ')}`)
  if (voters.length === 0) throw new InvalidInput('a mesh needs at least one voter')
  return {
    peers: everyone,
    voters,
    settings: { algorithm, lease: leaseMs, drift: driftFraction },
    localTurns,
    ...zoneFrom(options.zone, env['TURNWISE_ZONE']),
    ...(options.voters === undefined && { spreadsVoters: true }),
    // Alone there is no other node that could remember another beginning.
    ...((options.firstStart || ids.length < 2) && { firstStart: voters }),
    firstEpoch: options.genesis?.epoch ?? epochOf(Date.now()),
    roundTrip: Math.min(10, leaseMs / 20),
    // R21: alone and without a directory nothing can have been forgotten, so there is nothing to wait for.
    ...(everyone.length === 1 && options.stateDir === undefined && { firstStart: everyone }),
  }
}

/** The environment may have an empty one: that is what Kubernetes makes of a label that a pod lacks. */
function zoneFrom(option: string | undefined, inherited: string | undefined): { readonly zone?: string } {
  const zone = option ?? (inherited === '' ? undefined : inherited)
  if (zone === undefined) return {}
  const fault = zoneCheck(zone)
  if (fault !== null) throw new InvalidInput(`${option === undefined ? 'TURNWISE_ZONE' : 'zone'}: ${fault}`)
  return { zone }
}

function requireNumber(option: string, value: unknown, min: number, max: number): void {
  if (typeof value === 'number' && value >= min && value <= max) return
  throw new InvalidInput(`${option} ${shown(value)} is not a number from ${min} to ${max}`)
}

/** The node itself checks the upper bound, when it has read its disk. */
function requireEpoch(epoch: unknown): void {
  if (Number.isInteger(epoch) && Number(epoch) >= 1 && Number(epoch) <= LAST_EPOCH) return
  throw new InvalidInput(`genesis epoch ${shown(epoch)} is not a whole number from 1 to ${LAST_EPOCH}`)
}

/** The other nodes; null for a node that does not listen. It stays alone. */
function addressesOf({ id, peers = {}, listen, stateDir }: JoinOptions): ReadonlyMap<string, Address> | null {
  const hasAddress = id !== undefined && (listen !== undefined || Object.hasOwn(peers, id))
  if (!hasAddress || stateDir === undefined) return null
  const others = Object.entries(peers).filter(([peer]) => peer !== id)
  return new Map(others.map(([peer, address]) => [peer, readAddress(address)]))
}

function transportOf(
  options: JoinOptions & {
    readonly log: (line: string) => void
    readonly refused: () => void
    readonly terms: Terms
    readonly encounters: Encounters
  },
  { settings: { algorithm, lease: leaseMs, drift: driftFraction } }: Config,
  addresses: ReadonlyMap<string, Address> | null,
): Pick<Parts, 'transport' | 'ledger'> {
  const {
    id,
    peers = {},
    mesh = MESH,
    log,
    refused,
    terms,
    encounters,
    thread = haveThreadsOneClock,
    keepAlive = true,
  } = options
  if (id === undefined || addresses === null) return { transport: NO_TRANSPORT }
  const listen = readAddress(options.listen ?? peers[id] ?? '')
  const security = securityOf(options, { mesh, id, listen }, new Date())
  const life = randomUUID()
  const codec = createCodec({ algorithm, nodes: MOST_MEMBERS })
  const wiring = { id, mesh, life, peers: addresses, security, terms, keepAlive }
  // A second process with a copy of the directory has a higher session, which would end the first one's (R19). So it is heard
  // only when the first one is silent and its lease is over here.
  const patience = { doubtMs: debtFor(leaseMs, driftFraction) }
  const work = new TcpTransport({ ...wiring, listen, codec, log, refused, patience, encounters, isShy: true })
  if (!thread) return { transport: work }
  if (!haveThreadsOneClock)
    throw new InvalidInput('thread: true needs Node: the threads of this runtime do not share a clock')
  const memory = new LeaseMemory()
  const transport = new ThreadedTransport(work, { ...wiring, listen, leaseMs, buffer: memory.buffer }, log)
  return { transport, ledger: new SharedLedger(memory, (slots) => transport.publish(slots)) }
}

/** For a mesh of one, which has no peers. */
export const NO_TRANSPORT: Transport = {
  start: () => Promise.resolve(),
  send: () => {},
  backlog: () => 0,
  reset: () => {},
  setPeers: () => {},
  close: () => Promise.resolve(),
}

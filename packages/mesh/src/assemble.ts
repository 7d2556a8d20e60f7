/** Builds a node from its parts, and waits until it has joined. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Disk } from './disk/disk.ts'
import type { Attending } from './host/attendance.ts'
import type { AuditTrail } from './host/audit-trail.ts'
import { isBlank } from './host/genesis.ts'
import { Runner } from './host/runner.ts'
import type { Watcher } from './host/watcher.ts'
import type { JoinOptions } from './join.ts'
import { systemClock } from './lease/clock.ts'
import type { SharedLedger } from './lease/shared-ledger.ts'
import { NoQuorumError } from './locks/errors.ts'
import { followCalls } from './locks/holders.ts'
import { readWish } from './locks/options.ts'
import { MeshNode } from './mesh.ts'
import { Journal } from './observe/journal.ts'
import type { Observer, Watched } from './observe/observer.ts'
import type { VoterMemory } from './once/voters.ts'
import { algorithmTextFor } from './protocol/serving.ts'
import type { Config } from './protocol/state.ts'
import type { Address } from './transport/sockets.ts'
import type { Transport } from './transport/transport.ts'

/** The parts of a node, with any transport and disk. */
export interface Parts
  extends Pick<
    JoinOptions,
    | 'quorumTimeout'
    | 'timeout'
    | 'mostNames'
    | 'record'
    | 'audit'
    | 'genesis'
    | 'log'
    | 'nesting'
    | 'deadlockAfter'
  > {
  readonly id: string
  readonly config: Config
  readonly transport: Transport
  readonly disk: Disk
  readonly journal?: Journal
  /** Made before the node can be asked for anything. */
  readonly observer?: ((watched: Watched) => Observer) | null
  /** Gets the node before it has joined, so that a caller can show its state. */
  readonly whenMade?: ((node: MeshNode) => void) | undefined
  /** The ledger of the lease thread. */
  readonly ledger?: SharedLedger
  /** The other nodes and their addresses; null for a node that stays alone. */
  readonly addresses?: ReadonlyMap<string, Address> | null
  /** For a node that meets others at a register. */
  readonly attending?: Attending
}

/** Milliseconds of waiting. Most waits are shorter, and a person does not wonder yet. */
const DEADLOCK_AFTER = 1000

export async function assemble(parts: Parts): Promise<MeshNode> {
  const { id, config, transport, disk, ledger = null, addresses = null, attending = null, genesis } = parts
  const { quorumTimeout, timeout, mostNames, record, journal = new Journal(id, parts.log) } = parts
  const { lease: leaseMs } = config.settings
  const following = await followingOf(parts)
  const audit = await auditOf(parts, journal)
  const clock = systemClock(leaseMs / 10)
  const begin = (mesh: Watcher) =>
    new Runner(id, config, disk, transport, clock, watching(mesh, parts, journal), ledger, attending)
  const node = new MeshNode(begin, quorumTimeout ?? 3 * leaseMs, mostNames, addresses, journal, following)
  const { runner } = node
  audit?.begin(runner)
  if (journal.disagreements !== null)
    journal.disagreements.onRivals = (rivals) => runner.dispatch({ kind: 'rivals', rivals })
  journal.owes(runner.node, runner.now, disk.stamp?.why ?? null)
  if (attending === null) rememberByVoters(node, disk, quorumTimeout ?? 3 * leaseMs)
  else atPlace(node, journal, attending)
  parts.whenMade?.(node)
  const metrics = node.metrics.bind(node)
  const algorithmOf = (key: string) => algorithmTextFor(config.settings, key)
  journal.observer = parts.observer?.({ id, meters: journal.meters, metrics, algorithmOf }) ?? null
  const begins = async () => {
    if (record !== undefined) node.record(record.name, record.file, journal.recording)
    // Alone, the node may have made its first view before the order is read.
    const wasBlank = isBlank(runner.node)
    await runner.run()
    if (config.peers.length === 1 && attending === null) runner.dispatch({ kind: 'renew' })
    if (genesis !== undefined) await node.orderGenesis(genesis, wasBlank)
    await node.ready()
    try {
      await transport.settled?.()
    } finally {
      // The node may have ended meanwhile: its disk failed, or its directory is an old copy. That is the reason to tell.
      node.assertOpen()
    }
  }
  try {
    await inTime(begins(), timeout, (patience) => node.notReady(patience))
  } catch (error) {
    // Ending may take longer than the caller wants to wait: a thread may not even have started.
    const ended = node.leave().finally(() => ending.delete(ended))
    if (error instanceof NoQuorumError) ending.add(ended)
    else await ended
    throw error
  }
  journal.joined()
  // From here on, only waiting callers and connections keep the process alive.
  runner.keepAlive('joining', false)
  return node
}

/** The journal hears first why a node stops. */
function watching(mesh: Watcher, { id, config, disk, attending }: Parts, journal: Journal): Watcher {
  const stops = (reason: 'disk-failed' | 'stale-state', error: Error) => {
    journal.stops(reason, error)
    mesh.failed(error)
  }
  return {
    told(effect) {
      if (effect.kind === 'stale-state')
        stops('stale-state', attending === undefined ? staleState(id, disk) : staleRegister(id))
      else if (effect.kind === 'unlike') mesh.failed(unlike(effect.settings, config))
      else mesh.told(effect)
    },
    ticked: (now) => mesh.ticked(now),
    eased: () => mesh.eased?.(),
    failed: (error) => stops('disk-failed', error),
    renewed: (left) => journal.renewed(left),
    slept: () => journal.slept(),
  }
}

async function followingOf({ nesting, deadlockAfter }: Parts) {
  return { nesting: nesting ? await followCalls() : null, after: deadlockAfter ?? DEADLOCK_AFTER }
}

/** Loaded on demand, because few nodes write an audit. A file that cannot be written fails before the node begins. */
async function auditOf({ audit, disk }: Parts, journal: Journal): Promise<AuditTrail | null> {
  if (audit === undefined) return null
  const { AuditTrail } = await import('./host/audit-trail.ts')
  try {
    return new AuditTrail(audit, journal.recording)
  } catch (error) {
    await disk.close()
    throw error
  }
}

function atPlace(mesh: MeshNode, journal: Journal, attending: Attending): void {
  journal.place = () => mesh.runner.place
  mesh.memoryOf = async () => (await import('./once/run-cells.ts')).cellMemory(attending.register, attending)
}

/** Loaded on demand, because most meshes never remember anything. */
function rememberByVoters(mesh: MeshNode, disk: Disk, patienceMs: number): void {
  let memory: Promise<VoterMemory> | null = null
  const load = async () => {
    const { VoterMemory } = await import('./once/voters.ts')
    const obtain = (key: string) =>
      mesh.obtainIfAvailable(
        key,
        readWish('', undefined, () => {}),
      )
    return new VoterMemory(mesh.runner, disk, () => mesh.pause(), obtain, patienceMs)
  }
  mesh.memoryOf = () => (memory ??= load())
  mesh.remembers = (word) => {
    if (word.kind === 'begun' && disk.remembered.shelves.size === 0) return
    memory ??= load()
    void memory.then((each) => each.heard(word))
  }
}

/** Nodes that did not join in time and are still closing, with their directories. */
export const ending = new Set<Promise<void>>()

/** The longest time that a timer can count. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The outcome, or after so many milliseconds this error. */
function inTime(
  outcome: Promise<void>,
  timeoutMs: number | undefined,
  late: (timeout: number) => Error,
): Promise<void> {
  if (timeoutMs === undefined || timeoutMs > LONGEST_TIMER) return outcome
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late(timeoutMs)), timeoutMs)
    outcome.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** R20: the others remember more of this voter than its disk does. */
function staleState(id: string, { durable }: Disk): Error {
  return new Error(
    `the state of node ${id} (voter ${durable.voterId}) is an old copy: it lacks later promises. ` +
      'Remove its state directory: the node then comes back as a new voter',
  )
}

/** M14 */
function staleRegister(id: string): Error {
  return new Error(
    `node ${id} has begun a later view than the register has: the register is an old copy. ` +
      'Stop all nodes, remove its cells, and start them again',
  )
}

function unlike(settings: string, { settings: own }: Config): InvalidInput {
  return new InvalidInput(
    `this mesh uses ${settings}, but this node has algorithm ${own.algorithm}, lease ${own.lease}, drift ${own.drift}`,
  )
}

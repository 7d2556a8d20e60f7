/** A lock, a permit or a lead that is held for a command, by a member of its own. */

import type { Wanted } from '@turnwise/mesh/daemon/control-messages'
import { StateDirectoryInUse } from '@turnwise/mesh/disk/state-directory'
import { joinNode } from '@turnwise/mesh/join'
import { lockTimedOut, NoQuorumError } from '@turnwise/mesh/locks/errors'
import { type Held, whenLost } from '@turnwise/mesh/locks/held'
import type { MeshNode } from '@turnwise/mesh/mesh'
import { LONGEST_LEASE, SHORTEST_LEASE } from '@turnwise/mesh/protocol/record'
import { durationWithin } from '../terminal/duration.ts'
import type { NodeConfig } from './config.ts'
import { outliveAbandoned } from './control-socket.ts'
import { type Ending, type Hold, now } from './hold.ts'
import { NotHad, obtain } from './obtain-wanted.ts'
import { NobodyThere, settingsAt } from './place-view.ts'

/** At a meeting place, without a daemon, and with the settings of the mesh that is there. */
export async function holdAt(
  at: string,
  mesh: string | undefined,
  lease: number | undefined,
  wanted: Wanted,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Hold> {
  const known = await notHad(settingsAt({ at, mesh }))
  const settings = { ...known, ...(lease !== undefined && { lease }) }
  const join = { at, ...(mesh !== undefined && { mesh }), ...settings }
  return holdAsMember({ join, leaseMs: settings.lease ?? 2000, socket: null }, wanted, signal, log)
}

/** As in `join({ lease })`. */
export function leaseFrom(text: string): number {
  return durationWithin(text, SHORTEST_LEASE, LONGEST_LEASE)
}

/** Joins, and leaves with the release. */
export async function holdAsMember(
  { join: options, leaseMs, socket }: Pick<NodeConfig, 'join' | 'leaseMs' | 'socket'>,
  wanted: Wanted,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Hold> {
  const { timeout } = wanted
  const started = now()
  const left = () => (timeout === null ? undefined : Math.max(0, timeout - (now() - started)))
  if (socket !== null) await outliveAbandoned(socket, options.stateDir)
  const patience = left() ?? options.timeout
  // The command may outlive this program by a moment, until its guard has ended it: so the others wait for the lease, though at a
  // directory the kernel tells them sooner.
  const patient = options.at === undefined ? {} : { waitOutLease: true }
  const settings = { ...options, ...patient, log, ...(patience !== undefined && { timeout: patience }) }
  const mesh = await notHad(joinNode(settings, (node) => leaveOn(signal, node)))
  const late = new AbortController()
  const rest = left()
  const timer =
    rest === undefined
      ? undefined
      : setTimeout(() => late.abort(new NotHad(lockTimedOut(wanted.name, timeout ?? 0).message)), rest)
  try {
    const held = await notHad(
      obtain(mesh, { ...wanted, timeout: null }, AbortSignal.any([signal, late.signal])),
    )
    return new MemberHold(mesh, held, leaseMs)
  } catch (error) {
    await mesh.leave()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Without a quorum a node joins for ever. */
function leaveOn(signal: AbortSignal, node: MeshNode): void {
  const leave = () => void node.leave()
  // It begins when this returns.
  if (signal.aborted) setImmediate(leave)
  else signal.addEventListener('abort', leave)
}

async function notHad<Value>(attempt: Promise<Value>): Promise<Value> {
  try {
    return await attempt
  } catch (error) {
    const isTransient = [NoQuorumError, StateDirectoryInUse, NobodyThere].some(
      (kind) => error instanceof kind,
    )
    if (isTransient) {
      throw new NotHad((error as Error).message, { cause: error })
    }
    throw error
  }
}

class MemberHold implements Hold {
  readonly fence: string
  readonly leaseMs: number
  readonly #mesh: MeshNode
  readonly #held: Held

  constructor(mesh: MeshNode, held: Held, leaseMs: number) {
    this.#mesh = mesh
    this.#held = held
    this.fence = String(held.fence)
    this.leaseMs = leaseMs
  }

  deadline(): number {
    return now() + this.#mesh.status.leaseLeft
  }

  whenEnding(hear: (ending: Ending) => void): void {
    whenLost(this.#held, (loss) => hear({ kind: 'lost', reason: loss.message }))
  }

  async release(): Promise<boolean> {
    const wasHeld = this.#held.isHeld
    this.#held.release()
    await this.#mesh.leave()
    return wasHeld
  }
}

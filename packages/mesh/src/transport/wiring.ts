/** What all connections of a node on one channel have in common. */
import { randomInt, randomUUID } from 'node:crypto'
import { randomStream } from '@turnwise/core/random'
import type { Id } from '../protocol/record.ts'
import type { Security } from '../security/security.ts'
import { Flushes } from './flushes.ts'
import type { Channel, Terms } from './handshake.ts'
import type { Encounters, Patience, Wiring } from './outgoing.ts'
import { tcpSockets, thatRest } from './sockets.ts'
import { realTimers, restingTimers } from './timers.ts'

export interface WiringOptions {
  readonly id: Id
  /** The name of the mesh, the same at all nodes. */
  readonly mesh: string
  /** The largest frame, in bytes, that is sent or accepted. The same at all nodes. */
  readonly longestFrame?: number
  readonly patience?: Partial<Patience>
  /** The random name of this process, the same for all its connections. Default: a new one. */
  readonly life?: string
  /** How peers prove who they are. Default: they are believed. */
  readonly security?: Security
  /** Gets one line for everything that is refused, broken or unreachable. */
  readonly log?: (line: string) => void
  /** The settings that this node tells its peers. Default: none. */
  readonly terms?: Terms
  readonly encounters?: Encounters
  /** Called for every refusal by this node or a peer, also for those that are not logged again. */
  readonly refused?: () => void
  /** Whether its connections keep the process alive. Default true. */
  readonly keepAlive?: boolean
  /** Default: plain TCP. A node with certificates passes those of `tls.ts`, so that other nodes need not load it. */
  readonly sockets?: Wiring['sockets']
  readonly timers?: Wiring['timers']
  readonly random?: Wiring['random']
}

export const LONGEST_FRAME = 16 * 1024 * 1024

const PATIENCE: Patience = {
  handshakeMs: 5000,
  firstPauseMs: 20,
  longestPauseMs: 500,
  doubtMs: 1000,
  farewellMs: 1000,
}

export function wiringOf(options: WiringOptions, channel: Channel): Wiring {
  const { id, mesh, life, timers, random, patience, log, longestFrame, keepAlive = true } = options
  const { secret, tls } = options.security ?? { secret: null, tls: null }
  const sockets = options.sockets ?? tcpSockets
  if (tls !== null && sockets === tcpSockets) throw new Error('plain sockets have no certificates')
  return {
    self: id,
    mesh,
    life: life ?? randomUUID(),
    channel,
    longestFrame: longestFrame ?? LONGEST_FRAME,
    sockets: keepAlive ? sockets : thatRest(sockets),
    trust: { secret, seals: tls === null },
    timers: timers ?? (keepAlive ? realTimers : restingTimers),
    flushes: new Flushes(),
    random: random ?? randomStream(randomInt(2 ** 47), 'pauses'),
    patience: { ...PATIENCE, ...patience },
    log: log ?? (() => {}),
    terms: options.terms ?? null,
    thread: null,
    encounters: options.encounters ?? null,
    refused: options.refused ?? (() => {}),
  }
}

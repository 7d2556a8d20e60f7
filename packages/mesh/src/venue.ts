/** How members reach each other at a meeting place: over sockets in a directory, or over TCP with a secret from the register. */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname, networkInterfaces } from 'node:os'
import { basename, join } from 'node:path'
import { pid } from 'node:process'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Session } from './host/attendance.ts'
import { type JoinOptions, MESH } from './join.ts'
import { NoQuorumError } from './locks/errors.ts'
import type { Id } from './protocol/record.ts'
import { PATIENCE_MS, type Register } from './register/register.ts'
import { untilAnswered } from './register/server-answers.ts'
import { type Security, securityOf } from './security/security.ts'
import { openDoor } from './transport/session-door.ts'
import { type Address, readAddress, type Sockets, tcpSockets } from './transport/sockets.ts'
import { tlsSockets } from './transport/tls.ts'
import { pathAddress, unixSockets } from './transport/unix-sockets.ts'

export interface Venue {
  /** A session that was never used before, and where it listens. */
  readonly next: () => Session
  readonly readAddress: (address: string) => Address
  /** Removes the socket that an ended process left behind. */
  readonly tidy: (address: string) => Promise<void>
  readonly wiring: { readonly sockets: Sockets; readonly security?: Security }
  /** Called before each further session, which uses the wiring anew. Rejects if the register does not answer. */
  readonly renew: () => Promise<void>
  /** Called when no session listens any more. */
  readonly close: () => Promise<void>
}

export type VenueOptions = Pick<JoinOptions, 'id' | 'mesh' | 'listen' | 'advertise' | 'secret' | 'tls'>

export function venueAt(register: Register, options: VenueOptions): Promise<Venue> {
  const { directory } = register
  return directory === undefined
    ? overTcp(register, options)
    : Promise.resolve(inDirectory(directory, options.id))
}

/**
 * Of an address only the name counts. Its path is where the owner mounted the directory, in another container perhaps, or the
 * original of this copy: a copy that took the owner for dead would remove the socket of one that lives.
 */
function inDirectory(directory: string, id: string | undefined): Venue {
  const here = (address: string) => join(directory, basename(address))
  // The row of a session is a file, whose name has at most 255 bytes. A character may take four of them.
  const name = nameFor(id).slice(0, 57)
  return {
    next() {
      const chance = randomBytes(6).toString('hex')
      return { id: sessionOf(name, chance), address: join(directory, chance) }
    },
    readAddress: (address) => pathAddress(here(address)),
    tidy: (address) => rm(here(address), { force: true }),
    wiring: { sockets: unixSockets },
    renew: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

async function overTcp(register: Register, options: VenueOptions): Promise<Venue> {
  const name = nameFor(options.id)
  const { listen, advertise } = options
  const own = ownAddress()
  const given = listen === undefined ? { host: isV6(own) ? '::' : '0.0.0.0', port: 0 } : readAddress(listen)
  const told = advertise === undefined ? null : readAddress(advertise)
  const { sockets, offered } = proofs(name, options)
  const secret = offered.secret ?? (await sharedSecret(register))
  const door = await openDoor(sockets, given)
  const wiring = { sockets: door.sockets, security: { ...offered, secret } }
  const host = isAny(given.host) ? own : given.host
  const address = textOf(told ?? { host, port: door.address.port })
  return {
    next: () => ({ id: sessionOf(name, randomBytes(6).toString('hex')), address }),
    readAddress,
    tidy: () => Promise.resolve(),
    wiring,
    async renew() {
      // Somebody may have deleted all cells. Then new members make another secret, unless this one is put back.
      if (offered.secret === null)
        wiring.security = { ...offered, secret: await secretIn(register, wiring.security.secret) }
    },
    close: () => door.close(),
  }
}

/**
 * How members prove that they belong here. By default the register keeps a secret, so every process that can read the register is
 * a member. If this member has a certificate, peers must show one too.
 */
function proofs(
  name: string,
  { id, mesh = MESH, secret, tls: files }: VenueOptions,
): { readonly sockets: Sockets; readonly offered: Security } {
  if (files !== undefined && id === undefined)
    throw new InvalidInput('tls needs the id of this node: its certificate names turnwise://MESH/ID')
  const given = { ...(secret !== undefined && { secret }), ...(files !== undefined && { tls: files }) }
  // There is always a secret, so the address does not matter.
  const self = { mesh, id: name, listen: { host: 'localhost', port: 0 } }
  const offered = securityOf(given, self, new Date())
  return { offered, sockets: offered.tls === null ? tcpSockets : tlsSockets(offered.tls, mesh, { nameOf }) }
}

function sessionOf(name: string, chance: string): Id {
  return `${name}.${chance}`
}

/** The name in a session. */
export function nameOf(session: Id): string {
  return session.slice(0, session.lastIndexOf('.'))
}

function textOf({ host, port }: Address): string {
  return `${isV6(host) ? `[${host}]` : host}:${port}`
}

/** A readable name. A random part is added, because a restarted process is another session. */
export function nameFor(id: string | undefined): string {
  return (id ?? `${hostname().split('.')[0]}-${pid}`).replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 60)
}

const SECRET = 'secret'

/**
 * No lease runs yet, so there is time for an engine that is busy with many members. A failing engine is not a mistake of the
 * caller.
 */
async function sharedSecret(register: Register): Promise<string> {
  try {
    return await untilAnswered(() => secretIn(register), performance.now() + PATIENCE_MS)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new NoQuorumError(`cannot read the secret that the register keeps: ${why}`, { cause })
  }
}

/** Of several members that begin together one writes its offer, and all read the same. */
async function secretIn(register: Register, offer = randomBytes(32).toString('base64url')): Promise<string> {
  const known = await register.read(SECRET)
  if (known !== null) return known.value
  const outcome = await register.cas(SECRET, null, offer)
  const cell = await register.read(SECRET)
  if (cell !== null) return cell.value
  throw new Error(outcome.kind === 'unknown' ? outcome.why : outcome.kind)
}

function isAny(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function isV6(host: string): boolean {
  return host.includes(':')
}

/** The first address of this machine that is not loopback. One of IPv6 only if there is none of IPv4, as in some clusters. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const outer = all.filter(({ internal }) => !internal)
  const v4 = outer.find(({ family }) => family === 'IPv4')
  // One with a scope means something within one network only.
  const v6 = outer.find((each) => each.family === 'IPv6' && each.scopeid === 0)
  return (v4 ?? v6)?.address ?? '127.0.0.1'
}

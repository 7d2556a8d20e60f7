/** How members reach each other at a meeting place: over sockets in a directory, or over TCP with a secret that the register keeps. */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { pid } from 'node:process'
import type { Session } from './host/attendance.ts'
import type { Register } from './register/register.ts'
import type { Security } from './security/security.ts'
import { type Address, listenOn, readAddress, type Sockets } from './transport/sockets.ts'
import { pathAddress, unixSockets } from './transport/unix-sockets.ts'

export interface Venue {
  /** A session that there has never been, and where it listens. */
  readonly next: () => Session
  readonly readAddress: (address: string) => Address
  /** Where a session really listens whose address is this. */
  readonly listenAt: (address: Address) => Address
  /** What a process that is gone has left where it listened. */
  readonly tidy: (address: string) => Promise<void>
  readonly wiring: { readonly sockets?: Sockets; readonly security?: Security }
}

export function venueAt(
  register: Register,
  id: string | undefined,
  listen: string | undefined,
): Promise<Venue> {
  const { directory } = register
  return directory === undefined ? overTcp(register, id, listen) : Promise.resolve(inDirectory(directory, id))
}

function inDirectory(directory: string, id: string | undefined): Venue {
  return {
    next() {
      const chance = randomBytes(6).toString('hex')
      return { id: `${nameFor(id)}.${chance}`, address: join(directory, chance) }
    },
    readAddress: pathAddress,
    listenAt: (address) => address,
    tidy: (address) => rm(address, { force: true }),
    wiring: { sockets: unixSockets },
  }
}

/** Whoever can read the register is a member: it keeps the secret that connections prove. */
async function overTcp(
  register: Register,
  id: string | undefined,
  listen: string | undefined,
): Promise<Venue> {
  const security = { secret: await sharedSecret(register), tls: null }
  const given = listen === undefined ? { host: '0.0.0.0', port: 0 } : readAddress(listen)
  const port = given.port === 0 ? await freePort(given.host) : given.port
  const host = isAny(given.host) ? ownAddress() : given.host
  return {
    next: () => ({
      id: `${nameFor(id)}.${randomBytes(6).toString('hex')}`,
      address: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    }),
    readAddress,
    listenAt: () => ({ host: given.host, port }),
    tidy: () => Promise.resolve(),
    wiring: { security },
  }
}

/** For people first, and then by chance: a process that is started again is another session. */
function nameFor(id: string | undefined): string {
  return (id ?? `${hostname().split('.')[0]}-${pid}`).replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 60)
}

const SECRET = 'secret'

/** Of several that begin together one writes it, and all read the same. */
async function sharedSecret(register: Register): Promise<string> {
  const known = await register.read(SECRET)
  if (known !== null) return known.value
  const outcome = await register.cas(SECRET, null, randomBytes(32).toString('base64url'))
  const cell = await register.read(SECRET)
  if (cell !== null) return cell.value
  throw new Error(`the register keeps no secret: ${outcome.kind === 'unknown' ? outcome.why : outcome.kind}`)
}

async function freePort(host: string): Promise<number> {
  const listener = await listenOn(createServer(), { host, port: 0 })
  await listener.close()
  return listener.address.port
}

function isAny(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** The address of this machine that others can reach, as far as it knows. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

/** The file that configures a node: what `join` takes, in JSON, and where the node can be spoken with. */
import { dirname, join, resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { CONTROL } from '@turnwise/mesh/disk/state-directory'
import type { AuditOptions } from '@turnwise/mesh/host/audit-trail'
import type { JoinOptions } from '@turnwise/mesh/join'
import { requireFitting } from '@turnwise/mesh/join-options'
import { readPlace } from '@turnwise/mesh/register/place'
import { isLoopback, isPem, secretComplaint, type TlsOptions } from '@turnwise/mesh/security/security'
import {
  type Check,
  type Checks,
  fields,
  isObject,
  listOf,
  mapOf,
  measure,
  oneOf,
  orNull,
  shown,
  text,
  unknownOption,
  whole,
} from '@turnwise/mesh/transport/checks'
import { type Address, readAddress } from '@turnwise/mesh/transport/sockets'
import { zone } from '@turnwise/mesh/transport/zone-check'
import { inField, inFile, readJson, readText } from '../terminal/input.ts'
import { type DoorOptions, type DoorWish, doorOptions, doorWish } from './door-options.ts'
import { LEVELS, type Level } from './log-level.ts'
import { pathOrPem, requireUsable, token } from './pem-options.ts'

export interface NodeConfig {
  readonly join: JoinOptions
  readonly leaseMs: number
  /** Of the control socket; null if neither it nor a state directory is named. */
  readonly socket: string | null
  /** Where metrics are served over HTTP; null if they are not. */
  readonly metrics: MetricsWish | null
  /** Where the lab is served with a view of this node; null if it is not. */
  readonly page: PageWish | null
  /** Where programs on other machines come in; null if they do not. */
  readonly door: DoorWish | null
  readonly logLevel: Level
}

export interface MetricsWish {
  readonly address: Address
  /** Names under which it may be asked, besides addresses, localhost and that of the machine. */
  readonly hosts: readonly string[]
}

export interface PageWish extends MetricsWish {
  /** Without which nothing is answered; null if anybody who reaches the port may read. */
  readonly token: string | null
  /** As PEM text; null without TLS. */
  readonly tls: PageTls | null
  /** Beyond this machine without TLS: everybody who listens in on the network can read the token. */
  readonly insecure: boolean
}

type PageTls = Omit<TlsOptions, 'ca'>

interface PageOptions {
  readonly listen: string
  readonly token?: string | null
  readonly hosts?: readonly string[]
  readonly tls?: PageTls | null
  readonly insecure?: boolean
}

interface MetricsOptions {
  readonly listen: string
  /** Listen beyond this machine: everybody who reaches the port can read prefixes of lock names and how busy they are. */
  readonly insecure?: boolean
  readonly hosts?: readonly string[]
}

/**
 * A function cannot be written in JSON. An order that stands in a file would be given at every start. A daemon stays, and has no callers whose
 * nesting it could follow.
 */
type Written = Required<Omit<JoinOptions, 'log' | 'genesis' | 'keepAlive' | 'nesting'>> & {
  readonly socket: string
  readonly metrics: MetricsOptions
  readonly page: PageOptions
  readonly door: DoorOptions
  readonly logLevel: Level
}

const DEFAULT_LEASE_MS = 2000
const LONGEST_WAIT = 2 ** 31 - 1

const id = text(1, 255)
const path = text(1, 4096)
const flag: Check<boolean> = (value) =>
  typeof value === 'boolean' ? null : `${shown(value)} is not true or false`

const metricsOptions: Check<MetricsOptions> = (value) =>
  isObject(value)
    ? fields<Required<MetricsOptions>>({ listen: text(1, 255), insecure: flag, hosts: listOf(text(1, 255)) })(
        {
          insecure: false,
          hosts: [],
          ...value,
        },
      )
    : `${shown(value)} is not an object with listen`

const pageFields = fields<Required<PageOptions>>({
  listen: text(1, 255),
  token: orNull(token),
  hosts: listOf(text(1, 255)),
  tls: orNull(fields<PageTls>({ cert: pathOrPem, key: pathOrPem })),
  insecure: flag,
})

const pageOptions: Check<PageOptions> = (value) =>
  isObject(value)
    ? pageFields({ token: null, hosts: [], tls: null, insecure: false, ...value })
    : `${shown(value)} is not an object with listen`

const auditFields = fields<Required<AuditOptions>>({
  file: path,
  limit: measure(1024 ** 2, Number.MAX_SAFE_INTEGER),
})

const auditOptions: Check<AuditOptions> = (value) =>
  isObject(value) ? auditFields({ limit: 1024 ** 2, ...value }) : `${shown(value)} is not an object with file`

const telemetry: Check<'auto' | false> = (value) =>
  value === 'auto' || value === false ? null : `${shown(value)} is not "auto" or false`

/** Typed by the options of `join`: one that is added there and not here does not compile. */
const FIELDS: Checks<Written> = {
  at: text(1, 1024),
  waitOutLease: flag,
  id,
  listen: text(1, 255),
  advertise: text(1, 255),
  peers: mapOf(id, text(1, 255)),
  voters: listOf(id),
  stateDir: path,
  lease: measure(50, 600_000),
  drift: measure(0, 0.5),
  algorithm: text(1, 255),
  mesh: text(1, 255),
  zone,
  localTurns: measure(1, 16),
  quorumTimeout: measure(0, LONGEST_WAIT),
  deadlockAfter: measure(0, 2 ** 28),
  mostNames: whole(1),
  timeout: measure(0, LONGEST_WAIT),
  firstStart: flag,
  thread: flag,
  record: fields<{ name: string; file: string }>({ name: text(0, 250), file: path }),
  audit: auditOptions,
  secret: secretComplaint,
  tls: fields<TlsOptions>({ ca: pathOrPem, cert: pathOrPem, key: pathOrPem }),
  insecure: flag,
  telemetry,
  socket: path,
  metrics: metricsOptions,
  page: pageOptions,
  door: doorOptions,
  logLevel: oneOf(...LEVELS),
}

/** What a node has that no file describes. */
export const NO_FILE: NodeConfig = {
  join: {},
  leaseMs: DEFAULT_LEASE_MS,
  socket: null,
  metrics: null,
  page: null,
  door: null,
  logLevel: 'info',
}

export const CONFIG_FIELDS = Object.keys(FIELDS)

/** Paths in it are seen from where the file is. `idGiven` counts before what the file says. */
export function readNodeConfig(file: string, idGiven?: string): NodeConfig {
  const content = readJson(file)
  return inFile(file, () => {
    const complaints = complaintsAbout(content)
    if (complaints.length > 0) throw new InvalidInput(complaints.join('; '))
    const { socket, metrics, page, door, logLevel = 'info', ...written } = content as Partial<Written>
    const here = (name: string) => resolve(dirname(file), name)
    const pem = (field: string, given: string) =>
      isPem(given) ? given : inField(field, () => readText(here(given)))
    const stateDir = written.stateDir === undefined ? undefined : here(written.stateDir)
    const { at } = written
    const options: JoinOptions = {
      ...written,
      ...(at !== undefined && {
        at: inField('at', () => (readPlace(at).engine === 'directory' && isPath(at) ? here(at) : at)),
      }),
      ...(idGiven !== undefined && { id: idGiven }),
      ...(stateDir !== undefined && { stateDir }),
      ...(written.record !== undefined && { record: { ...written.record, file: here(written.record.file) } }),
      ...(written.audit !== undefined && { audit: { ...written.audit, file: here(written.audit.file) } }),
      ...(written.tls !== undefined && { tls: tlsFrom(written.tls, here) }),
    }
    requireId(options)
    requirePlaceFits(options)
    return {
      join: options,
      leaseMs: options.lease ?? DEFAULT_LEASE_MS,
      socket: socket !== undefined ? here(socket) : stateDir === undefined ? null : defaultSocket(stateDir),
      metrics: metrics === undefined ? null : metricsWish(metrics),
      page: page === undefined ? null : pageIn(page, pem),
      door: door === undefined ? null : doorWish(door, pem),
      logLevel,
    }
  })
}

/** And not a URL. */
function isPath(at: string): boolean {
  return !/^file:/i.test(at)
}

/** Before anything is opened. */
export function requirePlaceFits(options: JoinOptions): void {
  const { at } = options
  if (at !== undefined) requireFitting(readPlace(at), options)
}

function tlsFrom({ ca, cert, key }: TlsOptions, here: (name: string) => string): TlsOptions {
  const seen = (given: string) => (isPem(given) ? given : here(given))
  return { ca: seen(ca), cert: seen(cert), key: seen(key) }
}

/** Nobody has to prove anything to read metrics. */
function metricsWish({ listen, insecure = false, hosts = [] }: MetricsOptions): MetricsWish {
  const address = inField('metrics.listen', () => readAddress(listen))
  if (insecure || isLoopback(address.host)) return { address, hosts }
  throw new InvalidInput(
    `metrics.listen: ${listen} is beyond this machine, where anybody could read it: ` +
      'listen on 127.0.0.1, or set insecure: true in metrics',
  )
}

function pageIn(page: PageOptions, read: (field: string, given: string) => string): PageWish {
  const { listen, token = null, hosts = [], tls = null, insecure = false } = page
  const pem = tls && { cert: read('page.tls.cert', tls.cert), key: read('page.tls.key', tls.key) }
  if (pem !== null) inField('page.tls', () => requireUsable(pem))
  return inField('page.listen', () => pageWish(listen, { token, hosts, tls: pem, insecure }))
}

/** Who holds and who waits is nobody's business beyond this machine, unless he proves himself, and not in everybody's hearing. */
export function pageWish(listen: string, said: Omit<PageWish, 'address'>): PageWish {
  const address = readAddress(listen)
  if (isLoopback(address.host)) return { ...said, address }
  if (said.token === null) {
    throw new InvalidInput(
      `${listen} is beyond this machine, where anybody could read it: ` +
        'listen on 127.0.0.1, or set a token in page in the file',
    )
  }
  if (said.tls !== null || said.insecure) return { ...said, address }
  throw new InvalidInput(
    `${listen} is beyond this machine, and without TLS the token can be read on the network: ` +
      'set tls (cert and key) or insecure: true in page in the file',
  )
}

export function defaultSocket(stateDir: string): string {
  return join(stateDir, CONTROL, 'socket')
}

/** All of them at once, so that a file written by hand has to be corrected only once. */
function complaintsAbout(content: unknown): string[] {
  if (!isObject(content)) return [`it is not an object with some of ${CONFIG_FIELDS.join(', ')}`]
  const complaints: string[] = []
  const unknown = Object.keys(content).filter((name) => !Object.hasOwn(FIELDS, name))
  for (const name of unknown) complaints.push(unknownOption(name, 'this file', CONFIG_FIELDS))
  for (const [name, check] of Object.entries(FIELDS)) {
    if (!Object.hasOwn(content, name)) continue
    const complaint = check(content[name])
    if (complaint !== null) complaints.push(`${name}: ${complaint}`)
  }
  return complaints
}

/** At a place the peers themselves are wrong, and `join` says so. */
function requireId({ at, id: own, peers }: JoinOptions): void {
  if (at !== undefined) return
  const ids = Object.keys(peers ?? {})
  if (ids.length === 0) return
  if (own === undefined)
    throw new InvalidInput(`id is missing: set it or give --id, one of ${ids.join(', ')}`)
  if (!ids.includes(own)) throw new InvalidInput(`id: "${own}" is not among the peers ${ids.join(', ')}`)
}

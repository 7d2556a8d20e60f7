/** Where a mesh meets, as one text that says which register to open. An engine's code is loaded when it is named. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { OpenOptions, Register, Sight } from './register.ts'
import { plain } from './server-answers.ts'

/** A place that was parsed but not opened yet. */
export interface Place {
  readonly engine: 'directory' | 'postgres' | 'etcd'
  /** The place as text for people, without passwords. */
  readonly name: string
  open(mesh: string, options?: OpenOptions): Promise<Register>
  /** Changes nothing. Null if no mesh has met there. */
  look(mesh: string, options?: OpenOptions): Promise<Sight | null>
}

const ALLOWED =
  'a place to meet: ./directory, /directory, file:///directory, postgres://user@host/database or etcd://host:port,host:port/prefix'

/** Engines that people may try, but that cannot serve as a register. */
const NO_REGISTERS: Readonly<Record<string, string>> = {
  redis: 'Redis',
  rediss: 'Redis',
  valkey: 'Valkey',
  nats: 'NATS',
}

/** Throws one line for an invalid text. The line never contains a password. */
export function readPlace(text: string): Place {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? []
  switch (scheme.toLowerCase()) {
    case '':
      return directoryAt(text, text)
    case 'file':
      return directoryAt(text, pathOf(text))
    case 'postgres':
    case 'postgresql':
      return postgresAt(text)
    case 'etcd':
    case 'etcds':
      return etcdAt(text)
    default:
      throw refusal(text, scheme.toLowerCase())
  }
}

function refusal(text: string, scheme: string): InvalidInput {
  const engine = NO_REGISTERS[scheme]
  const why =
    scheme === 'etcd'
      ? '; with TLS etcds://host:port/prefix?ca=FILE&cert=FILE&key=FILE'
      : engine && `: a failover of ${engine} can lose what it acknowledged`
  return new InvalidInput(`"${withoutSecrets(text)}" is not ${ALLOWED}${why ?? ''}`)
}

function directoryAt(text: string, path: string): Place {
  if (!/^(\.{0,2}\/|\.{1,2}$)/.test(path)) throw refusal(text, '')
  // The whole path shows that two processes with one text and two working directories do not meet.
  const name = resolve(path)
  return {
    engine: 'directory',
    name,
    open: async (mesh, options) => (await import('./directory.ts')).openDirectory(name, mesh, options),
    look: async (mesh) => (await import('./directory.ts')).lookIntoDirectory(name, mesh),
  }
}

function postgresAt(text: string): Place {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw refusal(text, '')
  }
  if (/^\/?$/.test(url.pathname))
    throw new InvalidInput(
      `"${withoutSecrets(text)}" names no database. PostgreSQL would take one that is named like the role, so members with two roles would not meet: write postgres://user@host/database`,
    )
  const user = url.username === '' ? '' : `${url.username}@`
  return {
    engine: 'postgres',
    name: `postgres://${user}${url.host}${url.pathname}`,
    open: async (mesh, options) => (await import('./postgres.ts')).openPostgres(text, mesh, options),
    look: async (mesh, options) => (await import('./postgres.ts')).lookIntoPostgres(text, mesh, options),
  }
}

const ETCD = /^etcd(s?):\/\/(?:([^:@/]*)(?::([^@]*))?@)?([^@/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/i
const ENDPOINT = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d+))?$/i
const TLS_FILES = ['ca', 'cert', 'key']

/** etcd has several hosts, which a URL cannot have. */
function etcdAt(text: string): Place {
  const [, tls, user, password = '', hosts = '', path = '', query = ''] = ETCD.exec(text.trim()) ?? []
  const endpoints = hosts.split(',').map((host) => ENDPOINT.exec(host))
  const files = [...new URLSearchParams(query)]
  const isKnown = files.every(([name]) => tls !== '' && TLS_FILES.includes(name))
  if (hosts === '' || endpoints.includes(null) || !isKnown) throw refusal(text, 'etcd')
  const addresses = endpoints.map((found) => `${found?.[1]}:${found?.[2] ?? 2379}`)
  const prefix = prefixOf(text, path)
  const place = {
    endpoints: addresses,
    prefix,
    ...(user === undefined ? {} : { user: plain(user), password: plain(password) }),
    ...(tls === '' ? {} : { tls: Object.fromEntries(files) }),
  }
  return {
    engine: 'etcd',
    name: `etcd${tls}://${user === undefined ? '' : `${user}@`}${addresses.join(',')}/${prefix}`,
    open: async (mesh, options) => (await import('./etcd.ts')).openEtcd(place, mesh, options),
    look: async (mesh, options) => (await import('./etcd.ts')).openEtcd(place, mesh, options),
  }
}

/**
 * The same for a text and for a URL, which encodes characters and resolves dots. For etcd each spelling is a key of its own, so members
 * with two spellings would not meet.
 */
function prefixOf(text: string, path: string): string {
  const read = decoded(path)
  const fault =
    read === null
      ? 'an invalid code after %'
      : read.includes('//')
        ? 'two slashes'
        : /(^|\/)\.\.?(\/|$)/.test(read) && 'dots for a part'
  if (read !== null && fault === false) return read.replaceAll(/^\/|\/$/g, '') || 'turnwise'
  throw new InvalidInput(`"${withoutSecrets(text)}" has ${fault} in its prefix`)
}

/** Null if that is impossible. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function pathOf(text: string): string {
  try {
    if (/^file:\/\/\//i.test(text)) return fileURLToPath(text)
  } catch {
    // The text is not a valid file URL.
  }
  throw refusal(text, 'file')
}

/** The same text without user, password and query. */
export function withoutSecrets(text: string): string {
  return text.replace(/^([^:]*:\/\/).*@/s, '$1***@').replace(/\?.*$/s, '?***')
}

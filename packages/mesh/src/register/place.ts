/** Where a mesh meets, as one text: it says which register to open. What an engine needs is loaded when it is named. */
import { fileURLToPath } from 'node:url'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Register } from './register.ts'

/** A place, read and not yet opened. */
export interface Place {
  readonly engine: 'directory' | 'postgres' | 'etcd'
  /** The place for people, without passwords. */
  readonly name: string
  open(mesh: string): Promise<Register>
}

const ALLOWED =
  'a place to meet: ./directory, /directory, file:///directory, postgres://user@host/database or etcd://host:port,host:port/prefix'

/** What people may try, and why it does not serve. */
const NO_REGISTERS: Readonly<Record<string, string>> = {
  redis: 'Redis',
  rediss: 'Redis',
  valkey: 'Valkey',
  nats: 'NATS',
}

/** Throws one line for what is none. It never has a password in it. */
export function readPlace(text: string): Place {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? []
  switch (scheme.toLowerCase()) {
    case '':
      return directoryAt(text, text)
    case 'file':
      return directoryAt(text, pathOf(text))
    default:
      throw refusal(text, scheme.toLowerCase())
  }
}

function refusal(text: string, scheme: string): InvalidInput {
  const engine = NO_REGISTERS[scheme]
  const why = engine && `: a failover of ${engine} can lose what it acknowledged`
  return new InvalidInput(`"${withoutSecrets(text)}" is not ${ALLOWED}${why ?? ''}`)
}

function directoryAt(text: string, path: string): Place {
  if (!/^(\.{0,2}\/|\.{1,2}$)/.test(path)) throw refusal(text, '')
  return {
    engine: 'directory',
    name: path,
    open: async (mesh) => (await import('./directory.ts')).openDirectory(path, mesh),
  }
}

function pathOf(text: string): string {
  try {
    if (/^file:\/\/\//i.test(text)) return fileURLToPath(text)
  } catch {
    // What it complains of is not a path.
  }
  throw refusal(text, 'file')
}

/** The same without what stands for a user and a password, and without a query. */
export function withoutSecrets(text: string): string {
  return text.replace(/^([^:]*:\/\/).*@/s, '$1***@').replace(/\?.*$/s, '?***')
}

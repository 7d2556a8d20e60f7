/** The security options of `join`, checked, as plain data that can be passed to the lease thread. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Id } from '../protocol/record.ts'
import { nodeUri, nodeUris } from './node-name.ts'

/** The certificates of this node and of the authorities it trusts. Each is a path, or the PEM text itself. */
export interface TlsOptions {
  /** The trusted authorities; no others count. */
  readonly ca: string
  /** The certificate of this node, with turnwise://MESH/ID among its subject's alternative names. */
  readonly cert: string
  /** The private key of `cert`. */
  readonly key: string
}

/** How nodes prove to each other who they are. Beyond loopback one of `secret`, `tls` or `insecure` is required. */
export interface SecurityOptions {
  /** A text that only the nodes of the mesh know, at least 16 characters. Each connection proves it without sending it. */
  readonly secret?: string
  /** Mutual TLS 1.3, with the name of each node in its certificate. */
  readonly tls?: TlsOptions
  /** Listen beyond this machine without `secret` or `tls`: everyone who reaches the port can take every lock. */
  readonly insecure?: boolean
}

export interface Security {
  readonly secret: string | null
  /** All three as PEM text. */
  readonly tls: TlsOptions | null
}

export const OPEN: Security = { secret: null, tls: null }

const SHORTEST_SECRET = 16
const LONGEST_SECRET = 4096

/** Throws InvalidInput for options that could not work, or that would let everyone in. */
export function securityOf(
  { secret, tls, insecure = false }: SecurityOptions,
  self: {
    readonly mesh: string
    readonly id: Id
    readonly listen: { readonly host: string; readonly port: number }
  },
  now: Date,
): Security {
  const complaint = secret === undefined ? null : secretComplaint(secret)
  if (complaint !== null) throw new InvalidInput(`secret: ${complaint}`)
  const material = tls === undefined ? null : tlsMaterial(tls, self, now)
  const { host, port } = self.listen
  if (secret === undefined && material === null && !insecure && !isLoopback(host)) {
    throw new InvalidInput(
      `listening on ${host}:${port} without tls or secret would let anybody in: ` +
        'set one of them, or insecure: true',
    )
  }
  return { secret: secret ?? null, tls: material }
}

/** What is wrong with it, or null. The text does not repeat the secret, because it may be logged. */
export function secretComplaint(secret: unknown): string | null {
  if (typeof secret !== 'string') return `expected a text, got ${typeof secret}`
  if (secret.length >= SHORTEST_SECRET && secret.length <= LONGEST_SECRET) return null
  return `expected ${SHORTEST_SECRET} to ${LONGEST_SECRET} characters, got ${secret.length}`
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

export function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

function tlsMaterial(options: TlsOptions, self: { mesh: string; id: Id }, now: Date): TlsOptions {
  const ca = pemOf('ca', options.ca)
  const cert = pemOf('cert', options.cert)
  const key = pemOf('key', options.key)
  const authorities = certificatesIn('ca', ca)
  const stranger = authorities.find((each) => !each.ca)
  if (stranger !== undefined) {
    throw new InvalidInput(`tls.ca is the certificate of ${nameIn(stranger)}, not of an authority`)
  }
  // The certificates after the node's own lead up to an authority.
  const [own, ...chain] = certificatesIn('cert', cert)
  const wanted = nodeUri(self.mesh, self.id)
  const names = nodeUris(own)
  if (!names.includes(wanted)) {
    throw new InvalidInput(
      `tls.cert is the certificate of ${names.join(', ') || nameIn(own)}, but this node is ${wanted}`,
    )
  }
  if (now > new Date(own.validTo))
    throw new InvalidInput(`tls.cert has expired: it was valid until ${own.validTo}`)
  if (![...chain, ...authorities].some((issuer) => own.checkIssued(issuer) && own.verify(issuer.publicKey))) {
    throw new InvalidInput('tls.cert is not signed by an authority in tls.ca')
  }
  try {
    if (!own.checkPrivateKey(createPrivateKey(key))) throw new Error('it is not the key of tls.cert')
    createSecureContext({ ca, cert, key, minVersion: 'TLSv1.3' })
  } catch (error) {
    throw new InvalidInput(`tls.key cannot be used: ${(error as Error).message}`, { cause: error })
  }
  return { ca, cert, key }
}

function pemOf(field: keyof TlsOptions, given: unknown): string {
  if (typeof given === 'string') return readPem(field, given)
  throw new InvalidInput(`tls needs ca, cert and key: ${field} is missing`)
}

/** The text itself, or the content of the file that it names. */
export function readPem(field: keyof TlsOptions, given: string): string {
  if (isPem(given)) return given
  try {
    return readFileSync(given, 'utf8')
  } catch (error) {
    throw new InvalidInput(`tls.${field}: cannot read "${given}": ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Whether it is PEM text. Otherwise it is a path. */
export function isPem(given: string): boolean {
  return given.includes('-----BEGIN ')
}

/** The certificates in the text, at least one. */
function certificatesIn(field: keyof TlsOptions, pem: string): [X509Certificate, ...X509Certificate[]] {
  try {
    const [first, ...others] = pem.match(PEM_CERTIFICATE) ?? []
    return [new X509Certificate(first ?? ''), ...others.map((text) => new X509Certificate(text))]
  } catch (error) {
    throw new InvalidInput(`tls.${field} contains no certificate in PEM form`, { cause: error })
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function nameIn({ subject }: X509Certificate): string {
  return (subject ?? 'nobody').replaceAll('\n', ', ')
}

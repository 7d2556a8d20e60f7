/**
 * Makes the authority of a mesh and the certificates of its nodes: X.509 version 3 (RFC 5280) with keys on P-256. The
 * library is loaded when a certificate is made, and by no other command.
 */
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { byteAt } from '@turnwise/core/bounds'
import { clientUri, nodeUri } from '@turnwise/mesh/security/node-name'

/** As PEM text. */
export interface Issued {
  readonly cert: string
  readonly key: string
}

export interface Span {
  readonly from: Date
  readonly until: Date
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

async function library() {
  // Its dependency injection looks for this when it is loaded.
  await import('reflect-metadata')
  return await import('@peculiar/x509')
}

/** Certificates of the mesh are signed by it, and it signs no other authority. */
export async function makeAuthority(mesh: string, { from, until }: Span): Promise<Issued> {
  const x509 = await library()
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: commonName(`turnwise authority of ${mesh}`),
    notBefore: from,
    notAfter: until,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: pem(certificate.toString('pem')), key: await keyPem(keys.privateKey) }
}

interface AlternativeName {
  readonly type: 'url' | 'dns' | 'ip'
  readonly value: string
}

/** A certificate by which its bearer is one node of one mesh, as the one who dials and as the one who is dialled. */
export function makeCertificate(authority: Issued, mesh: string, id: string, span: Span): Promise<Issued> {
  return issue(authority, id, [{ type: 'url', value: nodeUri(mesh, id) }], ['serverAuth', 'clientAuth'], span)
}

/**
 * A certificate by which its bearer is a client of the doors of one mesh, and no node. It serves no door: without a name of a host
 * in a certificate, TLS clients take the common name for one.
 */
export function makeClientCertificate(
  authority: Issued,
  mesh: string,
  name: string,
  span: Span,
): Promise<Issued> {
  return issue(authority, name, [{ type: 'url', value: clientUri(mesh, name) }], ['clientAuth'], span)
}

/** A certificate for a door at these hosts, by name or address. Its bearer is no node and no client. */
export function makeDoorCertificate(
  authority: Issued,
  hosts: readonly [string, ...string[]],
  span: Span,
): Promise<Issued> {
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }) as const)
  return issue(authority, hosts[0], names, ['serverAuth'], span)
}

async function issue(
  authority: Issued,
  name: string,
  names: readonly AlternativeName[],
  usages: readonly ('serverAuth' | 'clientAuth')[],
  { from, until }: Span,
): Promise<Issued> {
  const x509 = await library()
  const issuer = new x509.X509Certificate(authority.cert)
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: commonName(name),
    issuer: issuer.subjectName.toJSON(),
    notBefore: from,
    notAfter: until,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages.map((usage) => x509.ExtendedKeyUsage[usage])),
      new x509.SubjectAlternativeNameExtension([...names]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return { cert: pem(certificate.toString('pem')), key: await keyPem(keys.privateKey) }
}

/** For people who read a certificate: nodes look at the URI. X.520 allows 64 characters. */
function commonName(name: string): [{ CN: [string] }] {
  return [{ CN: [name.slice(0, 64)] }]
}

/** Positive, and never the same twice. */
function serial(): string {
  const bytes = randomBytes(16)
  bytes[0] = (byteAt(bytes, 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

function pem(text: string): string {
  return `${text.trimEnd()}\n`
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const { PemConverter } = await library()
  return pem(PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY'))
}

async function signingKey(text: string): Promise<webcrypto.CryptoKey> {
  const { PemConverter } = await library()
  return webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(text), ALGORITHM, false, ['sign'])
}

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import type { Command } from 'commander'
import {
  type Issued,
  makeAuthority,
  makeCertificate,
  makeClientCertificate,
  makeDoorCertificate,
  type Span,
} from '../../keys/authority.ts'
import { given, readText, reasonOf } from '../../terminal/input.ts'
import { table } from '../../terminal/table.ts'
import { counted, type Terminal } from '../../terminal/terminal.ts'
import { directoryGiven } from '../directory-given.ts'

interface KeysOptions {
  readonly nodes?: string
  readonly clients?: string
  readonly door?: string
  readonly mesh: string
  readonly out: string
  readonly days: string
}

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
/** Clocks of nodes may be behind this one. */
const SKEW_MS = 3_600_000
/** The name of the authority's files. */
const CA = 'ca'
const LONGEST_NAME = 255

/** Who gets a certificate. */
interface Subject {
  /** Of its files. */
  readonly file: string
  /** Where they go. */
  readonly goesTo: string
  readonly isNode: boolean
  readonly make: (authority: Issued, span: Span) => Promise<Issued>
}

export function addKeys(program: Command, terminal: Terminal): void {
  program
    .command('keys')
    .summary('make a certificate authority, and certificates for nodes, doors and clients')
    .description(
      'Makes a certificate and a key for each node (for join({ tls })), door and client, and the certificate authority ' +
        'that signs them. An authority that is already in the directory signs the new ones. No file is overwritten.',
    )
    .option('--nodes <ids>', 'the ids of the nodes, with commas between them')
    .option(
      '--door <hosts>',
      'one certificate for the doors of daemons at these hosts, given by name or address',
    )
    .option('--clients <names>', 'the names of clients that use a door')
    .option('--mesh <name>', 'the name of the mesh, as in join({ mesh })', 'mesh')
    .option('--out <directory>', 'where the files go', 'keys')
    .option(
      '--days <count>',
      'for how many days the certificates of nodes, doors and clients are valid',
      '365',
    )
    .addHelpText('after', HELP)
    .action(async (options: KeysOptions) => {
      const mesh = given('--mesh', options.mesh, () => nameFrom(options.mesh, 'the name of a mesh'))
      const days = given('--days', options.days, () =>
        wholeNumber(options.days, 'a number of days', 1, AUTHORITY_DAYS),
      )
      const files = filesIn(options.out)
      const subjects = subjectsIn(options, mesh)
      refuseToOverwrite(subjects.flatMap(({ file }) => [files.cert(file), files.key(file)]))
      const authority = await authorityIn(files, mesh)
      const span = spanOf(days, authority.until, files.cert(CA))
      const made: [string, Issued][] = []
      for (const { file, make } of subjects) made.push([file, await make(authority, span)])
      await directoryGiven('--out', options.out)
      if (authority.isNew) save(files, CA, authority)
      for (const [file, issued] of made) save(files, file, issued)
      terminal.print(report(terminal, files, subjects, { mesh, until: span.until, isNew: authority.isNew }))
    })
}

function subjectsIn({ nodes, door, clients }: KeysOptions, mesh: string): readonly Subject[] {
  if (nodes === undefined && door === undefined && clients === undefined)
    throw new InvalidInput('give --nodes, --door or --clients')
  const ids = given('--nodes', nodes ?? '', () => idsFrom(nodes))
  const hosts = given('--door', door ?? '', () => namesFrom(door, 'the name or address of a host'))
  const names = given('--clients', clients ?? '', () => namesFrom(clients, 'the name of a client'))
  const [first, ...others] = hosts
  const subjects: Subject[] = [
    ...ids.map((id) => ({
      file: id,
      goesTo: `to node ${id} only`,
      isNode: true,
      make: (authority: Issued, span: Span) => makeCertificate(authority, mesh, id, span),
    })),
    ...(first === undefined
      ? []
      : [
          {
            file: 'door',
            goesTo: `to the daemons at ${hosts.join(', ')}`,
            isNode: false,
            make: (authority: Issued, span: Span) => makeDoorCertificate(authority, [first, ...others], span),
          },
        ]),
    ...names.map((name) => ({
      file: `client-${name}`,
      goesTo: `to client ${name} only, with ${CA}.crt`,
      isNode: false,
      make: (authority: Issued, span: Span) => makeClientCertificate(authority, mesh, name, span),
    })),
  ]
  const files = subjects.map(({ file }) => file)
  const twice = files.find((file, i) => files.indexOf(file) !== i)
  if (twice !== undefined) throw new InvalidInput(`the files of "${twice}" would be made twice`)
  return subjects
}

function idsFrom(text: string | undefined): string[] {
  const ids = namesFrom(text, 'the id of a node')
  if (ids.includes(CA)) throw new InvalidInput(`"${CA}" is reserved for the files of the authority`)
  return ids
}

function namesFrom(text: string | undefined, what: string): string[] {
  if (text === undefined) return []
  const names = text.split(',').map((name) => nameFrom(name.trim(), what))
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new InvalidInput(`"${twice}" is given twice`)
  return names
}

function nameFrom(text: string, what: string): string {
  if (text === '' || text.length > LONGEST_NAME)
    throw invalid(text, `${what}: 1 to ${LONGEST_NAME} characters`)
  return text
}

interface Files {
  readonly directory: string
  cert(name: string): string
  key(name: string): string
}

function filesIn(directory: string): Files {
  // An id may hold a slash.
  const file = (name: string, kind: string) => path.join(directory, `${encodeURIComponent(name)}.${kind}`)
  return { directory, cert: (name) => file(name, 'crt'), key: (name) => file(name, 'key') }
}

function refuseToOverwrite(paths: readonly string[]): void {
  const there = paths.find((file) => existsSync(file))
  if (there !== undefined) throw new InvalidInput(`"${there}" exists and is not overwritten`)
}

async function authorityIn(files: Files, mesh: string): Promise<Issued & { until: Date; isNew: boolean }> {
  const [cert, key] = [files.cert(CA), files.key(CA)]
  if (existsSync(cert)) return { ...readAuthority(cert, key), isNew: false }
  refuseToOverwrite([key])
  const span = { from: new Date(Date.now() - SKEW_MS), until: new Date(Date.now() + AUTHORITY_DAYS * DAY_MS) }
  return { ...(await makeAuthority(mesh, span)), until: span.until, isNew: true }
}

function readAuthority(certFile: string, keyFile: string): Issued & { until: Date } {
  const [cert, keyText] = [readText(certFile), readText(keyFile)]
  const certificate = readable(() => new X509Certificate(cert))
  if (certificate?.ca !== true) {
    throw new InvalidInput(`"${certFile}" is not the certificate of an authority`)
  }
  const key = readable(() => createPrivateKey(keyText))
  if (key === null || !certificate.checkPrivateKey(key)) {
    throw new InvalidInput(`"${keyFile}" is not the key of "${certFile}"`)
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new InvalidInput(`"${keyFile}" is not a key on P-256, as this command makes them`)
  }
  return {
    cert,
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
    until: new Date(certificate.validTo),
  }
}

function readable<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** No certificate is good for longer than that of its authority. */
function spanOf(days: number, latest: Date, authority: string): Span {
  const now = Date.now()
  if (now > latest.getTime()) throw new InvalidInput(`the authority in "${authority}" has expired`)
  return { from: new Date(now - SKEW_MS), until: new Date(Math.min(now + days * DAY_MS, latest.getTime())) }
}

function save(files: Files, name: string, { cert, key }: Issued): void {
  for (const [file, text] of [
    [files.key(name), key],
    [files.cert(name), cert],
  ] as const) {
    try {
      // `wx`: also what has appeared meanwhile is not written over.
      writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      throw new InvalidInput(`cannot write "${file}": ${reasonOf(error)}`, { cause: error })
    }
  }
}

function report(
  terminal: Terminal,
  files: Files,
  subjects: readonly Subject[],
  { mesh, until, isNew }: { mesh: string; until: Date; isNew: boolean },
): string {
  const first = get(subjects, 0)
  const cert = `cert: '${files.cert(first.file)}', key: '${files.key(first.file)}'`
  const rows = [
    [files.cert(CA), 'to every node and client: the authority that all trust'],
    [files.key(CA), 'to no node: its owner can make nodes; keep it offline'],
    ...subjects.map(({ file, goesTo }) => [`${files.cert(file)}, ${path.basename(files.key(file))}`, goesTo]),
  ]
  const start = `join({ id: '${first.file}', mesh: '${mesh}', tls: { ca: '${files.cert(CA)}', ${cert} }, … })`
  return [
    `${isNew ? 'An authority and ' : ''}${counted(subjects.length, 'certificate')} for the mesh ` +
      `"${mesh}", good until ${until.toISOString().slice(0, 10)}.`,
    '',
    table(terminal, ['files', 'where they go'], rows),
    ...(first.isNode ? ['', `Node ${first.file} then starts with ${start}`] : []),
  ].join('\n')
}

const HELP = `
The certificate of a node has the URI turnwise://MESH/ID. It is valid for this id in this mesh, at any address. The
certificate of a client has turnwise-client://MESH/NAME: its owner cannot be a node. To add a certificate, run the command
again with the same directory. To renew one, move its old files away first. A new authority is valid for ${AUTHORITY_DAYS}
days. Only the owner can read the files.

Examples:
  turnwise keys --nodes a,b,c
  turnwise keys --nodes db-1,db-2,db-3 --mesh billing --out /etc/turnwise --days 90
  turnwise keys --nodes d
  turnwise keys --door locks.example,10.0.0.1 --clients billing,reports`

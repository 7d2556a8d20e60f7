import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import type { Command } from 'commander'
import { type Issued, makeAuthority, makeCertificate, type Span } from '../../keys/authority.ts'
import { given, readText, reasonOf } from '../input.ts'
import { table } from '../table.ts'
import { counted, type Terminal } from '../terminal.ts'

interface KeysOptions {
  readonly nodes: string
  readonly mesh: string
  readonly out: string
  readonly days: string
}

const DAY = 86_400_000
const AUTHORITY_DAYS = 3650
/** Clocks of nodes may be behind this one. */
const SKEW = 3_600_000
/** The name of the authority's files. */
const CA = 'ca'
const LONGEST_NAME = 255

export function addKeys(program: Command, terminal: Terminal): void {
  program
    .command('keys')
    .summary('make an authority and certificates for the nodes of a mesh')
    .description(
      'Makes a certificate and a key for each node, for join({ tls }), and the authority that signs them. If the ' +
        'directory has an authority already, it signs the new nodes. No file is overwritten.',
    )
    .requiredOption('--nodes <ids>', 'the ids of the nodes, with commas between them')
    .option('--mesh <name>', 'the name of the mesh, as in join({ mesh })', 'mesh')
    .option('--out <directory>', 'where the files go', 'keys')
    .option('--days <count>', 'for how many days certificates of nodes are valid', '365')
    .addHelpText('after', HELP)
    .action(async (options: KeysOptions) => {
      const ids = given('--nodes', options.nodes, () => idsFrom(options.nodes))
      const mesh = given('--mesh', options.mesh, () => nameFrom(options.mesh, 'the name of a mesh'))
      const days = given('--days', options.days, () =>
        wholeNumber(options.days, 'a number of days', 1, AUTHORITY_DAYS),
      )
      const files = filesIn(options.out)
      refuseToOverwrite(ids.flatMap((id) => [files.cert(id), files.key(id)]))
      const authority = await authorityIn(files, mesh)
      const span = spanOf(days, authority.until, files.cert(CA))
      const made: [string, Issued][] = []
      for (const id of ids) made.push([id, await makeCertificate(authority, mesh, id, span)])
      makeDirectory(options.out)
      if (authority.isNew) save(files, CA, authority)
      for (const [id, issued] of made) save(files, id, issued)
      terminal.print(report(terminal, files, ids, { mesh, until: span.until, isNew: authority.isNew }))
    })
}

function idsFrom(text: string): string[] {
  const ids = text.split(',').map((id) => nameFrom(id.trim(), 'the id of a node'))
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) throw new InvalidInput(`"${twice}" is given twice`)
  if (ids.includes(CA)) throw new InvalidInput(`"${CA}" is reserved for the files of the authority`)
  return ids
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
  const span = { from: new Date(Date.now() - SKEW), until: new Date(Date.now() + AUTHORITY_DAYS * DAY) }
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
  return { from: new Date(now - SKEW), until: new Date(Math.min(now + days * DAY, latest.getTime())) }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new InvalidInput(`cannot make "${directory}": ${reasonOf(error)}`, { cause: error })
  }
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
  ids: readonly string[],
  { mesh, until, isNew }: { mesh: string; until: Date; isNew: boolean },
): string {
  const first = get(ids, 0)
  const tls = `tls: { ca: '${files.cert(CA)}', cert: '${files.cert(first)}', key: '${files.key(first)}' }`
  const rows = [
    [files.cert(CA), 'to every node: the authority that all trust'],
    [files.key(CA), 'to no node: its owner can make nodes; keep it offline'],
    ...ids.map((id) => [`${files.cert(id)}, ${path.basename(files.key(id))}`, `to node ${id} only`]),
  ]
  return [
    `${isNew ? 'An authority and certificates' : 'Certificates'} for ${counted(ids.length, 'node')} of the mesh ` +
      `"${mesh}", good until ${until.toISOString().slice(0, 10)}.`,
    '',
    table(terminal, ['files', 'where they go'], rows),
    '',
    `Node ${first} then starts with join({ id: '${first}', mesh: '${mesh}', ${tls}, … })`,
  ].join('\n')
}

const HELP = `
A certificate names its node by the URI turnwise://MESH/ID, so it is good for that id in that mesh and wherever it
listens. To add a node, or to renew one after moving its old files away, run the command again with the same
directory. A new authority is good for ${AUTHORITY_DAYS} days. All files can be read by their owner alone.

Examples:
  turnwise keys --nodes a,b,c
  turnwise keys --nodes db-1,db-2,db-3 --mesh billing --out /etc/turnwise --days 90
  turnwise keys --nodes d`

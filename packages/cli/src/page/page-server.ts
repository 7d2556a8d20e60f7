/**
 * The lab's page with a live view of a mesh. Everybody who can reach the address can read it, so beyond this machine it asks for a
 * token; faults are taken from the page itself only, not from any other that a browser shows.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative, sep } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { LiveView } from '@turnwise/lab/live/live-view'
import { isLoopback } from '@turnwise/mesh/security/security'
import type { Address } from '@turnwise/mesh/transport/sockets'
import { type Asked, authorityOf, type Guard, say, serveGuarded } from '../http/guarded-server.ts'
import { reasonOf } from '../terminal/input.ts'
import { readParts } from './recording-parts.ts'

export interface PageOptions {
  readonly address: Address
  /** Without which nothing is answered; if none is given, one is made where the address is beyond this machine. */
  readonly token?: string | null
  /** Names under which it may be asked for, besides addresses, localhost and that of the machine. */
  readonly hosts?: readonly string[]
  readonly tls?: Guard['tls']
  readonly view: () => LiveView | Promise<LiveView>
  /** Does something to a node, or says why not; null where the page can only be looked at. */
  readonly act: ((id: string, deed: string) => string | null) | null
  /** The files in which a lock is being recorded, a part of its run each; none if it is not. */
  readonly recordingOf: (name: string) => readonly string[]
  /** Where the built page is, if not where the lab builds it. */
  readonly folder?: string
}

export interface Page {
  /** With the token, where one is asked for. */
  readonly url: string
  /** Without it: for logs, which are kept. */
  readonly bareUrl: string
  close(): Promise<void>
}

const EVERY_MS = 500
const LONGEST_ORDER = 1024
const MOST_WATCHERS = 32
const MOST_CONNECTIONS = 256
const ASSETS = '/assets/'

/**
 * The sandbox in which a visitor's texts run: an origin of its own, so that it reaches neither the live view nor its token nor any order, and no
 * network. The page's own policy allows nothing of this.
 */
const SANDBOX =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; sandbox allow-scripts; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export async function servePage(options: PageOptions): Promise<Page> {
  const { address, hosts = [], tls = null } = options
  const files = pageFiles(options.folder ?? builtPage())
  const token = options.token ?? (isLoopback(address.host) ? null : randomBytes(16).toString('hex'))
  const watchers = new Set<ServerResponse>()
  const guard: Guard = {
    what: 'page',
    address,
    hosts,
    // Scripts and styles are the same everywhere, and ask for each other without it.
    token: token === null ? null : { text: token, open: ASSETS },
    tls,
    mostConnections: MOST_CONNECTIONS,
  }
  const listener = await serveGuarded(guard, (asked, response) => {
    const { method, path, query } = asked
    if (path === '/live' && method === 'GET') return watch(response, watchers)
    if (path === '/act') return order(asked, response, options.act)
    if (method !== 'GET' && method !== 'HEAD')
      return say(response, 405, 'this page is read-only: GET or HEAD')
    if (path === '/recording') return tellRecording(response, options.recordingOf, query.get('name') ?? '')
    return tellFile(path, response, files)
  })
  const stop = tellEvery(options.view, watchers)
  const start = `${tls === null ? 'http' : 'https'}://${authorityOf(listener.address)}/`
  return {
    url: `${start}${token === null ? '' : `?token=${token}`}#/live`,
    bareUrl: `${start}#/live`,
    close() {
      stop()
      return listener.close()
    },
  }
}

function builtPage(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@turnwise/lab/package.json')), 'dist/page')
}

type Files = ReadonlyMap<string, { readonly path: string; readonly content: Buffer }>

/** All files of the built page, by their address: nothing else can be asked for. */
function pageFiles(folder: string): Files {
  const files = new Map<string, { path: string; content: Buffer }>()
  let entries: string[] = []
  try {
    entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch (error) {
    throw new Error('page: not built: run npm run build', { cause: error })
  }
  for (const entry of entries) {
    const path = join(folder, entry)
    if (extname(path) === '') continue
    files.set(`/${relative(folder, path).split(sep).join('/')}`, { path, content: readFileSync(path) })
  }
  return files
}

function tellFile(path: string, response: ServerResponse, files: Files): void {
  const file = files.get(path === '/' ? '/index.html' : path)
  if (file === undefined) return say(response, 404, 'not found')
  if (/^\/assets\/sandbox-[\w-]+\.html$/.test(path)) response.setHeader('content-security-policy', SANDBOX)
  response.writeHead(200, {
    'content-type': TYPES[extname(file.path)] ?? 'application/octet-stream',
    // What has its hash in its name never changes.
    'cache-control': path.startsWith(ASSETS) ? 'max-age=31536000, immutable' : 'no-store',
  })
  response.end(file.content)
}

function watch(response: ServerResponse, watchers: Set<ServerResponse>): void {
  if (watchers.size >= MOST_WATCHERS) return say(response, 503, 'too many viewers')
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': here\n\n')
  watchers.add(response)
  response.on('close', () => watchers.delete(response))
}

/** Nothing is asked of the mesh while nobody looks. */
function tellEvery(view: PageOptions['view'], watchers: ReadonlySet<ServerResponse>): () => void {
  let isAsking = false
  const tell = async () => {
    const text = `data: ${JSON.stringify(await view())}\n\n`
    // A browser that does not read what was told gets no more of it: it would pile up here.
    for (const watcher of watchers) if (!watcher.writableNeedDrain) watcher.write(text)
  }
  const timer = setInterval(() => {
    if (watchers.size === 0 || isAsking) return
    isAsking = true
    tell()
      // A mesh that cannot answer now is asked again.
      .catch(() => {})
      .finally(() => {
        isAsking = false
      })
  }, EVERY_MS)
  return () => {
    clearInterval(timer)
    for (const watcher of watchers) watcher.end()
  }
}

/** The parts of the run so far, as a list of texts. */
async function tellRecording(
  response: ServerResponse,
  recordingOf: PageOptions['recordingOf'],
  name: string,
): Promise<void> {
  try {
    const files = recordingOf(name)
    if (files.length === 0) return say(response, 404, `"${name}" is not recorded`)
    const parts = JSON.stringify(await readParts(files))
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end(parts)
  } catch (error) {
    if (error instanceof InvalidInput) return say(response, 413, error.message)
    say(response, 500, `the recording of "${name}" cannot be read: ${reasonOf(error)}`)
  }
}

async function order(
  { method, request }: Asked,
  response: ServerResponse,
  act: PageOptions['act'],
): Promise<void> {
  if (act === null)
    return say(response, 403, 'this page is read-only: only turnwise up --allow-faults takes orders')
  if (method !== 'POST') return say(response, 405, 'an order needs POST')
  // A page of another origin cannot send this type without asking first, and is not answered.
  if (request.headers['content-type'] !== 'application/json')
    return say(response, 415, 'an order needs the content type application/json')
  const text = await bodyOf(request)
  if (text === null) return say(response, 413, `an order may have at most ${LONGEST_ORDER} characters`)
  const { id, deed } = orderFrom(text)
  if (id === null || deed === null) return say(response, 400, 'an order needs an id and a deed')
  const complaint = act(id, deed)
  return complaint === null ? say(response, 200, 'done') : say(response, 409, complaint)
}

/** Null if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  let text = ''
  // Not destroyed on return: that would end the connection before the answer.
  for await (const part of request.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(part)
    if (text.length > LONGEST_ORDER) return null
  }
  return text
}

function orderFrom(text: string): { readonly id: string | null; readonly deed: string | null } {
  try {
    const said: unknown = JSON.parse(text)
    const of = (name: string): string | null => {
      const value = typeof said === 'object' && said !== null ? (said as Record<string, unknown>)[name] : null
      return typeof value === 'string' ? value : null
    }
    return { id: of('id'), deed: of('deed') }
  } catch {
    return { id: null, deed: null }
  }
}

/**
 * The lab's page with a live view of a mesh. Whoever can reach the address can read it, so beyond this machine it asks for a
 * token; faults are taken from the page itself only, not from any other that a browser shows.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative, sep } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { LiveView } from '@turnwise/lab/live/live-view'
import { isLoopback } from '@turnwise/mesh/security/security'
import { type Address, listenOn } from '@turnwise/mesh/transport/sockets'
import { reasonOf } from '../cli/input.ts'
import { readParts } from './recording-parts.ts'

export interface PageOptions {
  readonly address: Address
  /** Without which nothing is answered; if none is given, one is made where the address is beyond this machine. */
  readonly token?: string | null
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

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export async function servePage(options: PageOptions): Promise<Page> {
  const files = pageFiles(options.folder ?? builtPage())
  const token = options.token ?? (isLoopback(options.address.host) ? null : randomBytes(16).toString('hex'))
  const watchers = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://page')
    const refusal = refusalOf(request, url, token)
    if (refusal !== null) return say(response, 403, refusal)
    if (url.pathname === '/live' && request.method === 'GET') return watch(response, watchers)
    if (url.pathname === '/act') return order(request, response, options.act)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return say(response, 405, 'it can only be read')
    if (url.pathname === '/recording') {
      return void tellRecording(response, options.recordingOf, url.searchParams.get('name') ?? '')
    }
    const file = files.get(url.pathname === '/' ? '/index.html' : url.pathname)
    if (file === undefined) return say(response, 404, 'there is nothing here')
    response.writeHead(200, {
      'content-type': TYPES[extname(file.path)] ?? 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      // What has its hash in its name never changes.
      'cache-control': url.pathname.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-store',
    })
    response.end(file.content)
  })
  const listener = await listenOn(server, options.address).catch((error: unknown) => {
    const { host, port } = options.address
    throw new Error(`page: cannot listen on ${host}:${port}: ${reasonOf(error)}`, { cause: error })
  })
  server.on('error', () => {})
  const stop = tellEvery(options.view, watchers)
  const { host, port } = listener.address
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return {
    url: `http://${authority}/${token === null ? '' : `?token=${token}`}#/live`,
    bareUrl: `http://${authority}/#/live`,
    close() {
      stop()
      server.closeAllConnections()
      return listener.close()
    },
  }
}

function builtPage(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@turnwise/lab/package.json')), 'dist/page')
}

/** All files of the built page, by their address: nothing else can be asked for. */
function pageFiles(folder: string): ReadonlyMap<string, { readonly path: string; readonly content: Buffer }> {
  const files = new Map<string, { path: string; content: Buffer }>()
  let entries: string[] = []
  try {
    entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch (error) {
    throw new Error('page: it is not built: npm run build makes it', { cause: error })
  }
  for (const entry of entries) {
    const path = join(folder, entry)
    if (extname(path) === '') continue
    files.set(`/${relative(folder, path).split(sep).join('/')}`, { path, content: readFileSync(path) })
  }
  return files
}

/** A name that points at this machine may belong to another page: only addresses are answered, and localhost. */
function refusalOf(request: IncomingMessage, url: URL, token: string | null): string | null {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  if (token === null) return isLoopback(host) ? null : 'this page is for this machine'
  if (url.pathname.startsWith('/assets/')) return null
  return isToken(url.searchParams.get('token'), token)
    ? null
    : 'a token is needed: see where the page was started'
}

function isToken(said: string | null, token: string): boolean {
  const [one, other] = [Buffer.from(said ?? ''), Buffer.from(token)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function watch(response: ServerResponse, watchers: Set<ServerResponse>): void {
  if (watchers.size >= MOST_WATCHERS) return say(response, 503, 'too many look at it already')
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': here\n\n')
  watchers.add(response)
  response.on('close', () => watchers.delete(response))
}

/** Nothing is asked of the mesh while nobody looks. */
function tellEvery(view: PageOptions['view'], watchers: ReadonlySet<ServerResponse>): () => void {
  let isAsking = false
  const timer = setInterval(() => {
    if (watchers.size === 0 || isAsking) return
    isAsking = true
    void Promise.resolve(view())
      .then((seen) => {
        const text = `data: ${JSON.stringify(seen)}\n\n`
        for (const watcher of watchers) watcher.write(text)
      })
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

function order(request: IncomingMessage, response: ServerResponse, act: PageOptions['act']): void {
  if (act === null)
    return say(response, 403, 'it can only be looked at: faults are for turnwise up --allow-faults')
  if (request.method !== 'POST') return say(response, 405, 'an order is posted')
  // A page of another origin cannot send this type without asking first, and is not answered.
  if (request.headers['content-type'] !== 'application/json')
    return say(response, 415, 'an order is application/json')
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (part: string) => {
    text += part
    if (text.length > LONGEST_ORDER) request.destroy()
  })
  request.on('end', () => {
    const { id, deed } = orderFrom(text)
    if (id === null || deed === null) return say(response, 400, 'an order has an id and a deed')
    const complaint = act(id, deed)
    return complaint === null ? say(response, 200, 'done') : say(response, 409, complaint)
  })
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

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}

/**
 * What the HTTP servers of a node have in common. No request can end the process: whatever a handler throws is an answer. A
 * request is let through before it is looked at: under a name of this server, from no other page, and, where one is asked for, with
 * the token.
 */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { type Address, type Listener, listenOn } from '@turnwise/mesh/transport/sockets'
import { reasonOf } from '../terminal/input.ts'

export interface Guard {
  /** How it is called in errors. */
  readonly what: string
  readonly address: Address
  /** Names under which it is asked, besides addresses, localhost and that of the machine. */
  readonly hosts: readonly string[]
  /** A request without this text is refused, unless its path begins with `open`. Null: all requests are answered. */
  readonly token: { readonly text: string; readonly open: string } | null
  /** As PEM text; null without TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** At a time. */
  readonly mostConnections: number
}

export interface Asked {
  readonly method: string
  /** As it came: nothing is decoded, so nothing can be decoded twice. */
  readonly path: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
}

type Handle = (asked: Asked, response: ServerResponse) => void | Promise<void>

const REQUEST_WITHIN_MS = 5000

const LIMITS: ServerOptions = {
  requestTimeout: REQUEST_WITHIN_MS,
  headersTimeout: REQUEST_WITHIN_MS,
  keepAliveTimeout: REQUEST_WITHIN_MS,
  connectionsCheckingInterval: 1000,
}

/** Scripts, styles, workers and frames from here alone, nothing inline, in no frame of others; an address with a token is told to nobody. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; frame-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

export async function serveGuarded(guard: Guard, handle: Handle): Promise<Listener> {
  const { address, tls, what } = guard
  const hosts = new Set(
    [address.host, hostname(), 'localhost', ...guard.hosts].map((name) => name.toLowerCase()),
  )
  const hear = (request: IncomingMessage, response: ServerResponse) => {
    // The client may go away in the middle of it.
    request.on('error', () => {})
    response.on('error', () => {})
    answer(request, response, guard.token, hosts, handle).catch((error: unknown) => fail(response, error))
  }
  const server =
    tls === null
      ? createServer(LIMITS, hear)
      : createTlsServer({ ...LIMITS, ...tls, handshakeTimeout: REQUEST_WITHIN_MS }, hear)
  server.maxConnections = guard.mostConnections
  const listener = await listenOn(server, address).catch((error: unknown) => {
    throw new Error(`${what}: cannot listen on ${address.host}:${address.port}: ${reasonOf(error)}`, {
      cause: error,
    })
  })
  return {
    address: listener.address,
    close() {
      server.closeAllConnections()
      return listener.close()
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: Guard['token'],
  hosts: ReadonlySet<string>,
  handle: Handle,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
  const { url = '', method = '' } = request
  // Not `new URL`, which throws for `//`.
  const [path = '', ...rest] = url.split('?')
  const query = new URLSearchParams(rest.join('?'))
  const refusal = strangeness(request.headers, hosts) ?? tokenMissing(path, query, token)
  if (refusal !== null) return say(response, 403, refusal)
  if (!path.startsWith('/')) return say(response, 400, 'a path begins with /')
  await handle({ method, path, query, request }, response)
}

/**
 * A name that points here may be made to by anybody, and then a page of theirs has our origin (DNS rebinding). An address cannot: it
 * stands for itself.
 */
function strangeness(
  { host = '', origin }: IncomingMessage['headers'],
  hosts: ReadonlySet<string>,
): string | null {
  const name = (/^(?:\[([^\]]+)\]|([^:]*))(?::\d+)?$/.exec(host)?.slice(1).join('') ?? '').toLowerCase()
  if (isIP(name) === 0 && !hosts.has(name)) return 'this host name is not allowed'
  if (origin === undefined || /^https?:\/\/(.*)$/.exec(origin)?.[1] === host) return null
  return 'pages of another origin are not allowed'
}

function tokenMissing(path: string, query: URLSearchParams, token: Guard['token']): string | null {
  if (token === null || path.startsWith(token.open)) return null
  const [said, wanted] = [Buffer.from(query.get('token') ?? ''), Buffer.from(token.text)]
  if (said.length === wanted.length && timingSafeEqual(said, wanted)) return null
  return 'a token is needed: it is in the address that the program printed'
}

/** What went wrong is our business: the one who asked hears that it did. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy()
  say(response, 500, `internal error: ${error instanceof Error ? reasonOf(error) : String(error)}`)
}

export function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}

/** As it stands in an address. */
export function authorityOf({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

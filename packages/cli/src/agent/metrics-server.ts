/** Metrics over HTTP, for a Prometheus that scrapes: one page, to read and nothing else. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Address, Listener } from '@turnwise/mesh/transport/sockets'
import { listenOn } from '@turnwise/mesh/transport/sockets'
import type { Registry } from 'prom-client'
import { reasonOf } from '../cli/input.ts'

/** At a time: a Prometheus or two, and somebody who looks. */
const MOST_CONNECTIONS = 16
const REQUEST_WITHIN = 5000

export async function serveMetrics(address: Address, registry: Registry): Promise<Listener> {
  const server = createServer(
    { requestTimeout: REQUEST_WITHIN, headersTimeout: REQUEST_WITHIN, keepAliveTimeout: REQUEST_WITHIN },
    (request, response) => {
      // A daemon that cannot count goes on with its locks.
      answer(request, response, registry).catch((error: unknown) => refuse(response, 500, String(error)))
    },
  )
  server.maxConnections = MOST_CONNECTIONS
  try {
    const listener = await listenOn(server, address)
    // Too many open files: whoever knocks waits.
    server.on('error', () => {})
    const close = () => {
      server.closeAllConnections()
      return listener.close()
    }
    return { address: listener.address, close }
  } catch (error) {
    const { host, port } = address
    throw new Error(`metrics: cannot listen on ${host}:${port}: ${reasonOf(error)}`, { cause: error })
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, registry: Registry): Promise<void> {
  if (request.url?.split('?')[0] !== '/metrics') return refuse(response, 404, 'there is only /metrics')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return refuse(response, 405, 'it can only be read')
  }
  const text = await registry.metrics()
  response.writeHead(200, { 'content-type': registry.contentType, 'content-length': Buffer.byteLength(text) })
  response.end(request.method === 'HEAD' ? undefined : text)
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${why}\n`)
}

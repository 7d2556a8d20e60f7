/** Metrics over HTTP, for a Prometheus that scrapes: one page, to read and nothing else. */
import type { ServerResponse } from 'node:http'
import type { Address, Listener } from '@turnwise/mesh/transport/sockets'
import type { Registry } from 'prom-client'
import { type Asked, say, serveGuarded } from '../http/guarded-server.ts'

/** At a time: a Prometheus or two, and somebody who looks. */
const MOST_CONNECTIONS = 16

export function serveMetrics(
  address: Address,
  registry: Registry,
  hosts: readonly string[] = [],
): Promise<Listener> {
  const guard = { what: 'metrics', address, hosts, token: null, tls: null, mostConnections: MOST_CONNECTIONS }
  return serveGuarded(guard, (asked, response) => answer(asked, response, registry))
}

async function answer({ method, path }: Asked, response: ServerResponse, registry: Registry): Promise<void> {
  if (path !== '/metrics') return say(response, 404, 'not found: the only page is /metrics')
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return say(response, 405, 'this page is read-only: GET or HEAD')
  }
  const text = await registry.metrics()
  response.writeHead(200, { 'content-type': registry.contentType, 'content-length': Buffer.byteLength(text) })
  response.end(method === 'HEAD' ? undefined : text)
}

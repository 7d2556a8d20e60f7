import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

export const LOOPBACK = '127.0.0.1'
/** Below those that systems give to connections: a port stays free between two lives of a node. */
const RANGE = { least: 10_000, count: 20_000 }

/** An address of this machine, as `host:port`, whose port is free, and which nobody else gets from here while this process lives. */
export async function freeAddress(): Promise<string> {
  for (;;) {
    const port = RANGE.least + Math.floor(Math.random() * RANGE.count)
    if ((await isReserved(port)) && (await isFree(port))) return `${LOOPBACK}:${port}`
  }
}

/** One for each of these. */
export async function freeAddresses(ids: readonly string[]): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await freeAddress()] as const)))
}

/**
 * A port is looked up long before it is used, and other processes look up ports too. So a process first opens the UDP port of the same
 * number, as a mark: only one process can have it, and the system takes it back when that process ends.
 */
async function isReserved(port: number): Promise<boolean> {
  const mark = createSocket('udp4').unref()
  try {
    mark.bind({ port, address: LOOPBACK, exclusive: true })
    await once(mark, 'listening')
    return true
  } catch {
    mark.close()
    return false
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)))
  })
}

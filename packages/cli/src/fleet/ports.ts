import { createServer } from 'node:net'

export const LOOPBACK = '127.0.0.1'
/** Below those that systems give to connections: a port stays free between two lives of a node. */
const RANGE = { least: 10_000, count: 20_000 }
/** Several are asked for before the first is used. */
const given = new Set<number>()

/** An address of this machine, as `host:port`, whose port is free. Another program may take it before it is used. */
export async function freeAddress(): Promise<string> {
  for (;;) {
    const port = RANGE.least + Math.floor(Math.random() * RANGE.count)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return `${LOOPBACK}:${port}`
  }
}

/** One for each of these. */
export async function freeAddresses(ids: readonly string[]): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await freeAddress()] as const)))
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)))
  })
}

import { tcpSockets } from '../src/transport/sockets.ts'

/** A port of this machine that was free a moment ago, as `host:port`. */
export async function freeAddress(): Promise<string> {
  const listener = await tcpSockets.listen({ host: '127.0.0.1', port: 0 }, () => {})
  await listener.close()
  return `${listener.address.host}:${listener.address.port}`
}

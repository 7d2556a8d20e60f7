/** A relay on the way from one node to another, that can be cut: what is sent then waits, as in a network that retransmits. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { readAddress } from '../../src/transport/sockets.ts'

export class Relay {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isCut = false

  private constructor(server: Server) {
    this.#server = server
  }

  static async to(address: string): Promise<Relay> {
    const { host, port } = readAddress(address)
    const server = createServer({ allowHalfOpen: false })
    const relay = new Relay(server)
    server.on('connection', (near) => relay.#join(near, connect({ host, port, noDelay: true })))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return relay
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Nothing passes, in this direction; answers to what was sent before do not exist on such a connection. */
  cut(): void {
    this.#isCut = true
    for (const [near] of this.#pairs) near.pause()
  }

  heal(): void {
    this.#isCut = false
    for (const [near] of this.#pairs) near.resume()
  }

  async close(): Promise<void> {
    for (const [near, far] of this.#pairs) {
      near.destroy()
      far.destroy()
    }
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket, far: Socket): void {
    const pair = [near, far] as const
    this.#pairs.add(pair)
    const end = () => {
      this.#pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.on('data', (chunk) => far.write(chunk))
    far.on('data', (chunk) => near.write(chunk))
    if (this.#isCut) near.pause()
  }
}

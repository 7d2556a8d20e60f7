/**
 * One way of a link between two members, through this process, so that it can be cut. A cut link carries nothing and says
 * nothing, as a broken network: bytes that were under way stay where they are, and arrive after the repair if the
 * connection has lived that long.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

interface Pair {
  readonly from: Socket
  /** Null while the link is cut: nobody answers. */
  readonly to: Socket | null
}

const LOOPBACK = '127.0.0.1'

export class Relay {
  readonly #server: Server
  readonly #target: () => number
  readonly #pairs = new Set<Pair>()
  #isCut = false

  private constructor(server: Server, target: () => number) {
    this.#server = server
    this.#target = target
    server.on('connection', (socket) => this.#accept(socket))
  }

  /** Passes connections on to a port of this machine, asked for anew with each. */
  static open(target: () => number): Promise<Relay> {
    const server = createServer({ noDelay: true, pauseOnConnect: true })
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, LOOPBACK, () => {
        server.off('error', reject)
        resolve(new Relay(server, target))
      })
    })
  }

  get address(): string {
    return `${LOOPBACK}:${(this.#server.address() as AddressInfo).port}`
  }

  cut(): void {
    this.#isCut = true
    for (const { from, to } of this.#pairs) {
      from.unpipe().pause()
      to?.unpipe().pause()
    }
  }

  heal(): void {
    this.#isCut = false
    for (const { from, to } of this.#pairs) {
      // Whoever dialled while nobody could answer dials again.
      if (to === null) from.destroy()
      else join(from, to)
    }
  }

  close(): void {
    this.#server.close()
    for (const { from, to } of this.#pairs) {
      from.destroy()
      to?.destroy()
    }
  }

  #accept(from: Socket): void {
    const to = this.#isCut ? null : connect({ host: LOOPBACK, port: this.#target(), noDelay: true })
    const pair = { from, to }
    this.#pairs.add(pair)
    from.on('error', () => to?.destroy())
    from.on('close', () => {
      this.#pairs.delete(pair)
      to?.destroySoon()
    })
    if (to === null) return
    to.on('error', () => from.destroy())
    to.on('close', () => from.destroySoon())
    join(from, to)
  }
}

function join(from: Socket, to: Socket): void {
  from.pipe(to)
  to.pipe(from)
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, LOOPBACK, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

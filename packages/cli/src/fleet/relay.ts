/**
 * One way of a link between two members, through this process, so that it can be cut. A cut link carries nothing. What
 * else is so depends on how it is cut.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { readAddress } from '@turnwise/mesh/transport/sockets'
import type { Cut } from './cut.ts'
import { LOOPBACK } from './ports.ts'

interface Pair {
  readonly from: Socket
  /** Null where nobody was dialled, because the link was cut. */
  readonly to: Socket | null
  isHalfOpen: boolean
  /** What is said is swallowed, for good. */
  isMute: boolean
}

export class Relay {
  readonly #server: Server
  readonly #target: () => string
  readonly #pairs = new Set<Pair>()
  #cut: Cut | null = null

  private constructor(server: Server, target: () => string) {
    this.#server = server
    this.#target = target
    server.on('connection', (socket) => this.#accept(socket))
  }

  /** Passes connections on to an address, asked for anew with each. */
  static open(target: () => string): Promise<Relay> {
    const server = createServer({ noDelay: true, pauseOnConnect: true })
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, LOOPBACK, () => {
        server.off('error', reject)
        resolve(new Relay(server, target))
      })
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get address(): string {
    return `${LOOPBACK}:${this.port}`
  }

  cut(how: Cut = 'stalled'): void {
    this.#cut = how
    for (const pair of this.#pairs) {
      if (!pair.isMute) this.#break(pair, how)
    }
  }

  #break(pair: Pair, how: Cut): void {
    const { from, to } = pair
    from.unpipe().pause()
    to?.unpipe().pause()
    if (how === 'refused') from.resetAndDestroy()
    if (how !== 'half-open' && how !== 'swallowed') return
    pair.isMute = true
    from.resume()
    if (how === 'swallowed') return void to?.pipe(from)
    pair.isHalfOpen = true
    to?.destroy()
  }

  heal(): void {
    // What is joined already would carry everything twice.
    if (this.#cut === null) return
    this.#cut = null
    for (const { from, to, isMute } of this.#pairs) {
      if (isMute) continue
      // A node that dialled while nobody could answer dials again.
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
    const to = this.#cut === null ? connect({ ...readAddress(this.#target()), noDelay: true }) : null
    const pair: Pair = { from, to, isHalfOpen: false, isMute: false }
    this.#pairs.add(pair)
    from.on('error', () => to?.destroy())
    from.on('close', () => {
      this.#pairs.delete(pair)
      to?.destroySoon()
    })
    if (to === null) return this.#break(pair, this.#cut ?? 'stalled')
    to.on('error', () => pair.isHalfOpen || from.destroy())
    to.on('close', () => pair.isHalfOpen || from.destroySoon())
    join(from, to)
  }
}

function join(from: Socket, to: Socket): void {
  from.pipe(to)
  to.pipe(from)
}

/**
 * One way of a link between two members, through this process, so that it can be cut or delayed. A cut link carries nothing. What
 * becomes of its connections depends on the kind of cut.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { listening, readAddress } from '@turnwise/mesh/transport/sockets'
import type { Cut } from './cut.ts'
import { Delay } from './delay.ts'
import { LOOPBACK } from './ports.ts'

/** How many milliseconds bytes take from the node that dials to the other, and back. */
export interface Ways {
  readonly there: () => number
  readonly back: () => number
}

interface Pair {
  readonly from: Socket
  /** Null where nobody was dialled, because the link was cut. */
  readonly to: Socket | null
  /** Null where bytes take no time of ours. */
  readonly there: Delay | null
  readonly back: Delay | null
  isHalfOpen: boolean
  /** What is said is swallowed, for good. */
  isMute: boolean
}

export class Relay {
  readonly #server: Server
  readonly #target: () => string
  readonly #ways: Ways | null
  readonly #pairs = new Set<Pair>()
  #cut: Cut | null = null

  private constructor(server: Server, target: () => string, ways: Ways | null) {
    this.#server = server
    this.#target = target
    this.#ways = ways
    server.on('connection', (socket) => this.#accept(socket))
  }

  /** Passes connections on to an address, asked for anew with each. */
  static async open(target: () => string, ways: Ways | null = null): Promise<Relay> {
    const server = createServer({ noDelay: true, pauseOnConnect: true })
    await listening(server, { port: 0, host: LOOPBACK })
    return new Relay(server, target, ways)
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
    for (const stream of [from, to, pair.there, pair.back]) stream?.unpipe()
    from.pause()
    to?.pause()
    if (how === 'refused') from.resetAndDestroy()
    if (how !== 'half-open' && how !== 'swallowed') return
    pair.isMute = true
    from.resume()
    if (how === 'swallowed') return carry(to, pair.back, from)
    pair.isHalfOpen = true
    to?.destroy()
  }

  heal(): void {
    // What is joined already would carry everything twice.
    if (this.#cut === null) return
    this.#cut = null
    for (const pair of this.#pairs) {
      if (pair.isMute) continue
      // A node that dialled while nobody could answer dials again.
      if (pair.to === null) pair.from.destroy()
      else join(pair)
    }
  }

  close(): void {
    this.#server.close()
    for (const { from, to, there, back } of this.#pairs)
      for (const stream of [from, to, there, back]) stream?.destroy()
  }

  #accept(from: Socket): void {
    const to = this.#cut === null ? connect({ ...readAddress(this.#target()), noDelay: true }) : null
    const delays =
      this.#ways === null
        ? { there: null, back: null }
        : { there: new Delay(this.#ways.there), back: new Delay(this.#ways.back) }
    const pair: Pair = { from, to, ...delays, isHalfOpen: false, isMute: false }
    this.#pairs.add(pair)
    from.on('error', () => {
      if (pair.there === null) to?.destroy()
    })
    from.on('close', () => this.#closed(pair, pair.there, to))
    if (to === null) return this.#break(pair, this.#cut ?? 'stalled')
    to.on('error', () => pair.isHalfOpen || pair.back !== null || from.destroy())
    to.on('close', () => pair.isHalfOpen || this.#closed(pair, pair.back, from))
    join(pair)
  }

  /** One end is gone. The other hears of it as late as of everything else. */
  #closed(pair: Pair, delay: Delay | null, other: Socket | null): void {
    const isOver = pair.from.closed && pair.to?.closed !== false
    if (delay === null || isOver || this.#cut !== null || pair.isMute) {
      this.#pairs.delete(pair)
      other?.destroySoon()
      return
    }
    delay.once('end', () => other?.destroySoon())
    if (!delay.writableEnded) delay.end()
  }
}

function join(pair: Pair): void {
  const { from, to, there, back } = pair
  carry(from, there, to)
  carry(to, back, from)
}

function carry(from: Socket | null, delay: Delay | null, to: Socket | null): void {
  if (from === null || to === null) return
  if (delay === null) from.pipe(to)
  else from.pipe(delay).pipe(to)
}

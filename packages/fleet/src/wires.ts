/** Who finds whom where: an address for each node, and a relay on each way between two of them. */
import type { Distance } from './distance.ts'
import { freeAddress } from './ports.ts'
import { Relay } from './relay.ts'

export class Wires {
  readonly #addresses = new Map<string, string>()
  /** By sender, then by receiver. */
  readonly #relays = new Map<string, Map<string, Relay>>()

  static async between(ids: readonly string[], distance: Distance | null = null): Promise<Wires> {
    const wires = new Wires()
    for (const id of ids) await wires.move(id)
    for (const from of ids) {
      const relays = new Map<string, Relay>()
      wires.#relays.set(from, relays)
      for (const to of ids) {
        if (to === from) continue
        const ways = distance && { there: distance.delay(from, to), back: distance.delay(to, from) }
        relays.set(to, await Relay.open(() => wires.addresses(to).listen, ways))
      }
    }
    return wires
  }

  /** Another address for a node: somebody took the port that it had. */
  async move(id: string): Promise<void> {
    this.#addresses.set(id, await freeAddress())
  }

  /** Where a node listens, and by which addresses it finds the others. */
  addresses(id: string): { readonly listen: string; readonly peers: Readonly<Record<string, string>> } {
    const listen = this.#addresses.get(id) ?? ''
    const relays = [...(this.#relays.get(id) ?? [])].map(([to, relay]) => [to, relay.address] as const)
    return { listen, peers: Object.fromEntries([[id, listen], ...relays]) }
  }

  relay(from: string, to: string): Relay | undefined {
    return this.#relays.get(from)?.get(to)
  }

  /** All of them, by the names of both ends. */
  *[Symbol.iterator](): Generator<readonly [from: string, to: string, relay: Relay]> {
    for (const [from, relays] of this.#relays) for (const [to, relay] of relays) yield [from, to, relay]
  }

  close(): void {
    for (const [, , relay] of this) relay.close()
  }
}

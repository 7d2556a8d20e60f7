/**
 * C10 of docs/daemon.md. A daemon knows of its clients what it has heard, and a release may be under way. So before it says for a
 * deadlock who holds and who waits, it has each client echo. Connections keep their order: with the echo comes everything that the
 * client said before.
 */
import type { NameStanding, Standing } from '../protocol/messages.ts'
import { isOfClient } from './holders.ts'

/** A client that names holders. */
export interface Echoing {
  readonly number: number
  /** False if the client did not answer in time. */
  echo(): Promise<boolean>
}

export class Echoes {
  readonly #clients = new Set<Echoing>()

  /** Asks this client too, until the returned function is called. */
  heed(client: Echoing): () => void {
    this.#clients.add(client)
    return () => void this.#clients.delete(client)
  }

  /** Whether there is nobody to wait for. */
  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  /** What `tell` says when all clients have answered, without the callers of those that have not. */
  async after(tell: () => readonly NameStanding[]): Promise<readonly NameStanding[]> {
    const answers = [...this.#clients].map(async (client) => ((await client.echo()) ? [] : [client.number]))
    const silent = (await Promise.all(answers)).flat()
    const isSure = ({ about }: Standing) =>
      !silent.some((client) => isOfClient(client, about?.holders.at(-1) ?? ''))
    const names = tell()
    if (silent.length === 0) return names
    // Seats of a group wait whether or not their callers are still there.
    return names.map(({ held, pending, ...rest }) => ({
      ...rest,
      held: held.filter(isSure),
      pending: pending.filter(isSure),
    }))
  }
}

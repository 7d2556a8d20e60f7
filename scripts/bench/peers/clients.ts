/** Processes that are clients of one lock server. */
import type { Takers } from '../hand-offs.ts'
import { startHelper } from '../program.ts'
import { spanOf, type Turns, WRITERS } from '../talk.ts'
import type { PeerName } from './locks.ts'

export async function clientsOf(
  peer: PeerName,
  folder: string,
  port: number,
  count: number,
): Promise<Takers> {
  const helpers = Array.from({ length: count }, () => startHelper('./peers/peer-process.ts'))
  const end = async () => void (await Promise.all(helpers.map((helper) => helper.end())))
  try {
    await Promise.all(helpers.map((helper) => helper.ask({ do: 'open', peer, folder, port })))
  } catch (error) {
    await end()
    throw error
  }
  return {
    turns: (names, { warmUp, measured: length }) => {
      const span = spanOf(warmUp, length)
      return Promise.all(
        helpers.map((helper) => helper.ask<Turns>({ do: 'turns', names, load: WRITERS, span })),
      )
    },
    end,
  }
}

/** Fleets of turnwise beside each other: with peers, and at meeting places. The engine there is not asked for a turn. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LOOPBACK } from '@turnwise/fleet/ports'
import type { JoinOptions } from '../../packages/mesh/dist/join.js'
import { Missing, placeAt, type Server, type ServerName, startServer } from '../../test/servers.ts'
import { DIRECTORY, Fleet, fastestRounds, type Times } from './fleet.ts'
import { type HandOffs, oneRound, type Takers } from './hand-offs.ts'
import { clientsOf } from './peers/clients.ts'
import type { PeerName } from './peers/locks.ts'
import { PATIENT } from './talk.ts'

interface Place {
  readonly title: string
  readonly server: ServerName | null
  readonly at: (port: number) => string
}

export const PLACES = {
  directory: { title: 'turnwise at a directory', server: null, at: () => DIRECTORY },
  postgresql: {
    title: 'turnwise at PostgreSQL',
    server: 'postgresql',
    at: (port) => placeAt('postgresql', `${LOOPBACK}:${port}`),
  },
  etcd: {
    title: 'turnwise at etcd',
    server: 'etcd',
    at: (port) => placeAt('etcd', `${LOOPBACK}:${port}`),
  },
} satisfies Readonly<Record<string, Place>>

export type BenchPlace = keyof typeof PLACES
export const placeNames = Object.keys(PLACES) as BenchPlace[]

/** At an engine members prove a secret and seal what they say, so a fleet with peers that does the same is compared. */
export const WITH_SECRET = 'turnwise, peers with a secret'

interface Contestant {
  readonly title: string
  readonly takers: Takers
}

interface Contest {
  readonly algorithm: string
  readonly places: readonly BenchPlace[]
  /** Of these the locks of a server at which a fleet meets are measured too, at the same server. */
  readonly peers: readonly PeerName[]
  /** Where their clients are installed. */
  readonly clients: string
  readonly count: number
  readonly times: Times
  readonly leftOut: (why: string) => void
}

/** All of them are there at the same time, and their rounds alternate. A server that is not installed is told, and left out. */
export async function besideEachOther(contest: Contest): Promise<Omit<HandOffs, 'share'>[]> {
  const { algorithm, places, peers, clients, count, times, leftOut } = contest
  const folder = mkdtempSync(path.join(tmpdir(), 'turnwise-places-'))
  const servers: Server[] = []
  const contestants: Contestant[] = []
  const add = async (title: string, options: JoinOptions) => {
    const takers = await Fleet.of(count, { algorithm, lease: PATIENT, ...options })
    contestants.push({ title, takers })
  }
  try {
    await add(`turnwise, ${algorithm}`, {})
    if (places.length > 0) await add(WITH_SECRET, { secret: randomBytes(32).toString('hex') })
    for (const name of places) {
      const { title, server: engine, at }: Place = PLACES[name]
      try {
        const server = engine === null ? null : await startServer(engine, folder)
        if (server !== null) servers.push(server)
        await add(title, { at: at(server?.port ?? 0) })
        const own = peers.find((peer) => peer === name)
        if (own === undefined || server === null) continue
        contestants.push({ title: own, takers: await clientsOf(own, clients, server.port, count) })
      } catch (error) {
        if (!(error instanceof Missing)) throw error
        leftOut(`${title}; ${error.message}`)
      }
    }
    const rounds = contestants.map(
      ({ title, takers }) =>
        () =>
          oneRound(title, takers, count, times),
    )
    return await fastestRounds(count, rounds)
  } finally {
    for (const { takers } of contestants) await takers.end()
    for (const server of servers) await server.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

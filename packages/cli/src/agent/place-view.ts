/** Reads what a meeting place knows of a mesh, without joining it and without changing anything. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type JoinOptions, joinNode, MESH } from '@turnwise/mesh/join'
import { NoQuorumError } from '@turnwise/mesh/locks/errors'
import {
  type Cell,
  ROWS,
  type Row,
  readRow,
  readView,
  sessionIn,
  VIEW,
} from '@turnwise/mesh/protocol/meeting/cells'
import type { Settings } from '@turnwise/mesh/protocol/record'
import { readPlace } from '@turnwise/mesh/register/place'
import type { Sight } from '@turnwise/mesh/register/register'
import { type Overview, overviewWithCircles } from '../page/overview.ts'

/** A mesh at a place. */
export interface Whereabouts {
  readonly at: string
  readonly mesh: string | undefined
}

/** The place does not answer, or nobody has met there. */
export class NobodyThere extends Error {
  override readonly name = 'NobodyThere'
}

/**
 * `renews`: its row was written while this looked on. `silent`: it was not, though it should have been twice. `sealed`: the others count it as
 * over. `gone`: it has left or died, and the next view will be without it.
 */
export type SessionState = 'renews' | 'silent' | 'sealed' | 'gone'

export interface SessionView {
  readonly id: string
  readonly address: string
  /** Of the view; if not, it waits to join. */
  readonly isMember: boolean
  readonly state: SessionState
}

export interface PlaceView {
  readonly place: string
  readonly mesh: string
  readonly epoch: number | null
  readonly settings: Settings
  /** Milliseconds for which this looked on. */
  readonly watched: number
  readonly sessions: readonly SessionView[]
}

const DEFAULTS: Settings = { algorithm: '', lease: 2000, drift: 0.002 }

/** The settings of a mesh, if there is one: who joins it for a moment takes them as they are. */
export async function settingsAt(where: Whereabouts): Promise<Partial<Settings>> {
  const sight = await sightOf(where)
  try {
    const cell = (await sight?.read(VIEW)) ?? null
    return (cell && readView(cell)?.settings) ?? {}
  } finally {
    await sight?.close()
  }
}

/** Looks until it is known of every session whether it renews its lease, or until `isEnough`. */
export async function lookAt(
  where: Whereabouts,
  isEnough: (sessions: readonly SessionView[]) => boolean = () => false,
): Promise<PlaceView> {
  const { name } = readPlace(where.at)
  const sight = await sightOf(where)
  try {
    if (sight === null) throw new NobodyThere(`nobody has met at ${name} yet`)
    const { mesh = MESH } = where
    const cell = await sight.read(VIEW)
    const view = cell && readView(cell)
    const first = await sight.list(ROWS)
    if (view === null && first.size === 0) throw new NobodyThere(await whyNoMesh(sight, mesh, name))
    const watch = new Watch(sight, view?.members ?? [], first)
    const { lease } = view?.settings ?? DEFAULTS
    const watched = await watch.until(isEnough, lease)
    return {
      place: name,
      mesh,
      epoch: view?.epoch ?? null,
      settings: view?.settings ?? DEFAULTS,
      watched: Math.round(watched),
      sessions: watch.sessions(),
    }
  } finally {
    await sight?.close()
  }
}

async function sightOf({ at, mesh = MESH }: Whereabouts): Promise<Sight | null> {
  const place = readPlace(at)
  try {
    return await place.look(mesh)
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidInput') throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new NobodyThere(`the mesh at ${place.name} cannot be reached: ${why}`, { cause: error })
  }
}

async function whyNoMesh(sight: Sight, mesh: string, name: string): Promise<string> {
  const others = await sight.meshes()
  if (others.length === 0) return `nobody has met at ${name} yet`
  return `no mesh "${mesh}" has met at ${name}, only ${others.map((other) => `"${other}"`).join(', ')}: --mesh chooses one`
}

/** What is seen of the rows, from one list to the next. */
class Watch {
  readonly #sight: Sight
  readonly #members: readonly { readonly id: string; readonly address: string }[]
  readonly #beats = new Map<string, number>()
  readonly #renewed = new Set<string>()
  readonly #dead = new Set<string>()
  #rows = new Map<string, Row>()

  constructor(
    sight: Sight,
    members: readonly { readonly id: string; readonly address: string }[],
    first: ReadonlyMap<string, Cell>,
  ) {
    this.#sight = sight
    this.#members = members
    this.#see(first)
  }

  /** A row is written three times in a lease. Resolves with how long it looked. */
  async until(isEnough: (sessions: readonly SessionView[]) => boolean, leaseMs: number): Promise<number> {
    const started = performance.now()
    for (;;) {
      await this.#askKernel()
      const sessions = this.sessions()
      const watched = performance.now() - started
      if (sessions.every(({ state }) => state !== 'silent') || isEnough(sessions)) return watched
      if (watched > (2 * leaseMs) / 3) return watched
      await sleep(Math.min(200, leaseMs / 12))
      this.#see(await this.#sight.list(ROWS))
    }
  }

  #see(cells: ReadonlyMap<string, Cell>): void {
    this.#rows = new Map()
    for (const [name, cell] of cells) {
      const [id, row] = [sessionIn(name), readRow(cell)]
      if (row === null) continue
      this.#rows.set(id, row)
      const before = this.#beats.get(id)
      if (before !== undefined && before !== row.beat) this.#renewed.add(id)
      this.#beats.set(id, row.beat)
    }
  }

  async #askKernel(): Promise<void> {
    for (const [id, { life }] of this.#rows) {
      if (life !== '' && (await this.#sight.isDead?.(life))) this.#dead.add(id)
    }
  }

  /** Members in their order, then those who wait. */
  sessions(): readonly SessionView[] {
    const ids = this.#members.map(({ id }) => id)
    const waiting = [...this.#rows].filter(([id]) => !ids.includes(id))
    return [
      ...this.#members.map(({ id, address }) => this.#session(id, address, true)),
      ...waiting.map(([id, { address }]) => this.#session(id, address, false)),
    ]
  }

  #session(id: string, address: string, isMember: boolean): SessionView {
    const row = this.#rows.get(id)
    if (row === undefined || this.#dead.has(id)) return { id, address, isMember, state: 'gone' }
    const state = row.sealed ? 'sealed' : this.#renewed.has(id) ? 'renews' : 'silent'
    return { id, address, isMember, state }
  }
}

/** How long it waits to be taken in, beside three leases. */
const PATIENCE_MS = 5000

/** Whether to look once more. */
type Again = (overview: Overview) => Promise<boolean>

/**
 * Only members know who holds and who waits. So this joins, with the settings of the mesh, asks all of them as often as `told` wants, and
 * leaves. False if nobody is there to be asked.
 */
export async function locksAt(where: Whereabouts, told: Again): Promise<boolean> {
  const { settings, sessions } = await lookAt(where, (seen) => seen.some(({ state }) => state === 'renews'))
  if (!sessions.some(({ state, isMember }) => isMember && state === 'renews')) return false
  const { at, mesh } = where
  const options: JoinOptions = {
    at,
    ...(mesh !== undefined && { mesh }),
    ...settings,
    timeout: 3 * settings.lease + PATIENCE_MS,
    keepAlive: true,
    log: () => {},
  }
  try {
    const node = await joinNode(options)
    try {
      while (await told(overviewWithCircles(await node.survey()))) {
        // Until it is enough.
      }
      return true
    } finally {
      await node.leave()
    }
  } catch (error) {
    if (!(error instanceof NoQuorumError)) throw error
    throw new NobodyThere(error.message, { cause: error })
  }
}

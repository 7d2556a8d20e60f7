/** A node as a daemon: a member of the mesh for as long as it runs, and a control socket for the programs of its machine. */
import type { Socket } from 'node:net'
import { get } from '@turnwise/core/bounds'
import type { LiveHappening } from '@turnwise/lab/live/live-view'
import { Connection, type Daemon } from '@turnwise/mesh/daemon/connection'
import {
  LONGEST_MESSAGE,
  MOST_INFO,
  MOST_NAMES,
  type NodeStatus,
} from '@turnwise/mesh/daemon/control-messages'
import type { Permission } from '@turnwise/mesh/daemon/gate'
import { DEFAULT_DRIFT, defaultVoters, joinNode, MESH } from '@turnwise/mesh/join'
import type { MeshNode } from '@turnwise/mesh/mesh'
import type { Logger } from '@turnwise/mesh/observe/logger'
import type { MeshMetrics } from '@turnwise/mesh/observe/metrics'
import { permittedName } from '@turnwise/mesh/protocol/names'
import { readPlace } from '@turnwise/mesh/register/place'
import { isLoopback } from '@turnwise/mesh/security/security'
import type { Listener } from '@turnwise/mesh/transport/sockets'
import { nameFor } from '@turnwise/mesh/venue'
import { authorityOf } from '../http/guarded-server.ts'
import { NodeWatch } from '../page/node-view.ts'
import { infoIn, type Overview, overviewWithCircles } from '../page/overview.ts'
import { type Page, servePage } from '../page/page-server.ts'
import type { NodeConfig } from './config.ts'
import { type ControlSocket, openControlSocket } from './control-socket.ts'
import type { Door } from './door.ts'
import { keepingLatest, type Log, logOf } from './log.ts'
import { serveMetrics } from './metrics-server.ts'
import { registryOf } from './prometheus.ts'

/** At a time. Each of them is a program that uses locks, or somebody who looks. */
const MOST_CONNECTIONS = 1024
const MOST_HAPPENINGS = 50

export class Agent implements Daemon {
  readonly leaseMs: number
  readonly driftFraction: number
  readonly log: Log
  /** The latest lines of the log, for the page. */
  readonly happenings: readonly LiveHappening[]
  readonly registry: ReturnType<typeof registryOf>
  readonly #logger: Logger
  readonly #config: NodeConfig
  /** Of the node among its peers, and for people at a meeting place. */
  readonly #name: string
  readonly #trouble: () => readonly string[]
  readonly #connections = new Set<Connection>()
  readonly #started = performance.now()
  #socket: ControlSocket | null = null
  #metricsServer: Listener | null = null
  #page: Page | null = null
  #door: Door | null = null
  #mesh: MeshNode | null = null
  /** The node before it has joined, and after. */
  #joining: MeshNode | null = null
  #joined: Promise<MeshNode> = Promise.reject(new Error('not started'))
  #isEnding = false
  /** Programs may still rely on what the daemon before this one held. */
  #isEarly = false
  /** Locks that are held for a connection that is there, or was. */
  #holds = 0
  #whenFree: (() => void) | null = null

  constructor(config: NodeConfig, logger: Logger) {
    this.#config = config
    this.#name = config.join.at === undefined ? (config.join.id ?? 'alone') : nameFor(config.join.id)
    this.leaseMs = config.leaseMs
    this.driftFraction = config.join.drift ?? DEFAULT_DRIFT
    const { logger: kept, latest, trouble } = keepingLatest(logger, MOST_HAPPENINGS)
    this.#trouble = trouble
    this.#logger = kept
    this.happenings = latest
    this.log = logOf(kept, () => ({ node: this.id, epoch: this.#mesh?.status.epoch ?? null }))
    this.registry = registryOf(this.#name, () => this.metrics())
    this.#joined.catch(() => {})
  }

  /** At a meeting place another one with every session. */
  get id(): string {
    return this.#joining?.id ?? this.#name
  }

  /** Resolves when it can be spoken with. It has joined when `joined` resolves. */
  async start(socketPath: string): Promise<void> {
    const { stateDir } = this.#config.join
    this.#socket = await openControlSocket(
      socketPath,
      this.leaseMs,
      (socket) => this.#accept(socket),
      stateDir,
    )
    this.log.info('control socket open', { socket: this.#socket.path })
    this.#joined = this.#join(this.#socket.abandonedLeaseMs)
    this.#joined.catch(() => {})
  }

  /**
   * The daemon before this one was killed, and programs that relied on its locks end before its lease does. As soon as
   * this one speaks, its earlier life is over for the others (R7), whatever it held: so it waits until nobody relies on it. At a
   * meeting place it is another session, and the others wait for the lease of the earlier one.
   */
  async #join(abandonedLeaseMs: number | null): Promise<MeshNode> {
    await this.#serve()
    const { at } = this.#config.join
    if (abandonedLeaseMs !== null && at === undefined) {
      this.#isEarly = true
      this.log.warn('the daemon before this one was killed: waiting for its lease to end', {
        ms: abandonedLeaseMs,
      })
      await new Promise((over) => setTimeout(over, abandonedLeaseMs))
      this.#isEarly = false
    }
    // Commands that rely on this daemon outlive it by a moment, though the kernel tells the others at once that it is gone.
    const patient = at === undefined ? {} : { waitOutLease: true }
    this.#mesh = await joinNode({ ...this.#config.join, ...patient, log: this.#logger }, (node) => {
      this.#joining = node
    })
    return this.#mesh
  }

  /** The page works while the node still joins. */
  async #serve(): Promise<void> {
    const { metrics, page, door } = this.#config
    if (metrics !== null) {
      this.#metricsServer = await serveMetrics(metrics.address, this.registry, metrics.hosts)
      this.log.info('metrics served', { at: `http://${authorityOf(this.#metricsServer.address)}/metrics` })
    }
    if (door !== null) {
      const { openDoor } = await import('./door.ts')
      this.#door = await openDoor(door, this.#config.join.mesh ?? MESH, this)
      this.log.info('door open', { at: authorityOf(this.#door.address), clients: door.clients.size })
    }
    if (page === null) return
    const watch = new NodeWatch(this)
    this.#page = await servePage({
      ...page,
      view: () => watch.view(),
      act: null,
      recordingOf: (name) => this.recordings.filter((each) => each.name === name).map(({ file }) => file),
    })
    this.log.info('page served', { at: this.#page.bareUrl, needsToken: page.token !== null })
    if (page.tls === null && !isLoopback(page.address.host)) {
      this.log.warn('the page is not encrypted: its token can be read on the network')
    }
  }

  get mesh(): MeshNode | null {
    return this.#mesh
  }

  get joined(): Promise<MeshNode> {
    return this.#joined
  }

  /** Resolves when the node is out of its mesh: it has left, or its disk failed. */
  async watch(mesh: MeshNode): Promise<void> {
    while (await mesh.pause());
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= MOST_CONNECTIONS) {
      socket.destroy()
      this.log.warn('a connection was refused', { connections: MOST_CONNECTIONS })
      return
    }
    const connection = new Connection(socket, this, () => this.#connections.delete(connection))
    this.#connections.add(connection)
  }

  get #everyone(): readonly Connection[] {
    return [...this.#connections, ...(this.#door?.connections ?? [])]
  }

  get isEnding(): boolean {
    return this.#isEnding
  }

  /** From now on a connection holds a lock, until somebody calls the function that this returns. */
  holds(): () => void {
    this.#holds += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#holds -= 1
      if (this.#holds === 0) this.#whenFree?.()
    }
  }

  get leaseLeft(): number {
    return this.#mesh?.status.leaseLeft ?? 0
  }

  status(): NodeStatus {
    const { at, peers: addresses = {}, voters } = this.#config.join
    const alone = at === undefined ? [this.id] : []
    const peers = Object.keys(addresses).length === 0 ? alone : Object.keys(addresses)
    const status = this.#joining?.status
    const members = status?.members ?? []
    // Without a view nobody is a member, and still somebody may be there.
    const outside = status?.epoch === null ? [] : peers.filter((peer) => !members.includes(peer))
    const missing = new Set([...outside, ...(status?.missing ?? [])])
    missing.delete(this.id)
    return {
      id: this.id,
      joined: this.#mesh !== null,
      epoch: status?.epoch ?? null,
      members,
      zones: status?.zones ?? {},
      voters: status?.voters ?? voters ?? defaultVoters(peers),
      peers,
      missing: [...missing],
      survives: status?.survives ?? null,
      place:
        status?.place ?? (at === undefined ? null : { name: readPlace(at).name, silentFor: null, why: null }),
      // It names members, of which there may be very many.
      trouble: this.#trouble().map((line) => line.slice(0, LONGEST_MESSAGE)),
      lease: this.leaseMs,
      leaseLeft: this.leaseLeft,
      names: status?.names ?? 0,
      clients: this.#everyone.length,
      holding: this.#holds,
      uptime: performance.now() - this.#started,
    }
  }

  get recordings(): MeshNode['recordings'] {
    return this.#mesh?.recordings ?? []
  }

  metricsText(): Promise<string> {
    return this.registry.metrics()
  }

  metrics(): MeshMetrics | null {
    return this.#mesh?.metrics() ?? null
  }

  /** Of the names that are allowed. */
  async overview(may: Permission = () => true): Promise<Overview> {
    const mesh = await this.#joined
    const answers = await mesh.survey()
    return overviewWithCircles(
      answers.map(({ id, names }) => ({ id, names: names.filter(({ name }) => may(permittedName(name))) })),
    )
  }

  async locks(may: Permission): Promise<Overview & { readonly more: number }> {
    const { names: all, circles } = await this.overview(may)
    const names = all.slice(0, MOST_NAMES)
    for (let room = MOST_INFO, at = 0; at < names.length; at += 1) {
      room -= infoIn(get(names, at))
      if (room < 0) names.length = at
    }
    return { names, more: all.length - names.length, circles }
  }

  /**
   * In good order: nobody new is let in, those who wait are told so, those who hold end their work and release. Only then
   * does the node leave, because what it held is free for others at that moment (R22). False if it had not joined yet.
   */
  async end(reason: string): Promise<boolean> {
    this.#isEnding = true
    this.log.info('leaving', { reason, holding: this.#holds })
    const free = new Promise<void>((resolve) => {
      this.#whenFree = resolve
    })
    for (const connection of this.#everyone) connection.end()
    if (this.#holds > 0) await free
    const mesh = this.#mesh
    await mesh?.leave()
    await this.#close(!this.#isEarly)
    this.log.info('left')
    return mesh !== null
  }

  /** The node is out of its mesh, or never got in. All its holds are lost already. */
  async abandon(): Promise<void> {
    this.#isEnding = true
    await this.#mesh?.leave()
    await this.#close(this.#mesh === null && !this.#isEarly)
  }

  async #close(inGoodOrder: boolean): Promise<void> {
    for (const connection of this.#connections) connection.close()
    await this.#door?.close()
    await this.#metricsServer?.close()
    await this.#page?.close()
    await this.#socket?.close(inGoodOrder)
  }
}

/** One run of `turnwise up`: faults at their times, happenings as they come, and a verdict at the end. */
import { get } from '@turnwise/core/bounds'
import type { Violation } from '@turnwise/core/judges/findings'
import { monotonic } from '@turnwise/mesh/lease/clock'
import { readPlace } from '@turnwise/mesh/register/place'
import { type Audited, auditFiles } from '../audit/audit-files.ts'
import { troublesIn } from '../audit/audit-report.ts'
import { Cluster, type ClusterOptions } from './cluster.ts'
import { whyNoCut } from './ground.ts'
import { Jury } from './jury.ts'
import { type Happening, Picture } from './picture.ts'
import type { PlaceRow, Snapshot } from './snapshot.ts'
import {
  type Condition,
  type Deed,
  ENGINE,
  engineRefusal,
  refusal,
  SAID,
  SAID_AT_ENGINE,
  type Scheduled,
} from './up-deeds.ts'

export interface SessionOptions extends ClusterOptions {
  /** Milliseconds from the first view to the end; null until somebody ends it. */
  readonly for: number | null
  readonly faults: readonly Scheduled[]
  /** Somebody is there who can start a node again. */
  readonly isAttended: boolean
}

export interface Outcome {
  readonly snapshot: Snapshot
  readonly milliseconds: number
  readonly views: number
  readonly violations: readonly Violation[]
  /** Why it was not judged whether all were served; null if it was. */
  readonly unjudged: string | null
  /** What the processes did, gone through again by the rules. */
  readonly audited: Audited
}

/** A machine with much else to do needs a while to start that many processes. */
const START_MS = 60_000
const TICK_MS = 50
const STOPPED = 'the run was ended early'

export class Session {
  readonly options: SessionOptions
  readonly #happened: (happening: Happening) => void
  readonly #picture: Picture
  readonly #jury: Jury
  readonly #started = monotonic()
  /** When everyone was in a view for the first time: times are told from there. */
  #began: number | null = null
  #lastFault = 0
  #cluster: Cluster | null = null
  readonly #stop = new AbortController()
  /** Null if none was started here. */
  #engine: Condition | null

  constructor(options: SessionOptions, happened: (happening: Happening) => void) {
    this.options = options
    this.#happened = happened
    const { place } = options
    this.#engine = place !== null && 'engine' in place ? { runs: 'running', isCut: false } : null
    this.#jury = new Jury(options.ids)
    this.#picture = new Picture(options.ids, options.names, (happening) => this.#tell(happening))
    for (const findings of this.#jury.findings) {
      findings.heard = ({ at, text }) => this.#tell({ at, kind: 'trouble', text: `violated: ${text}` })
    }
  }

  /** Milliseconds since the first view with everyone in it; 0 before. */
  get elapsed(): number {
    return this.#since(monotonic())
  }

  #since(at: number): number {
    return this.#began === null ? 0 : Math.max(0, at - this.#began)
  }

  snapshot(): Snapshot {
    const zones = this.options.distance?.zones ?? []
    return { ...this.#picture.snapshot(monotonic(), zones), place: this.#place() }
  }

  #place(): PlaceRow | null {
    const { place } = this.options
    if (place === null) return null
    const name = this.#cluster?.place ?? ('engine' in place ? place.engine : readPlace(place.at).name)
    const { runs } = this.#engine ?? {}
    return { name, ...this.#picture.silence, engine: runs === 'starting' ? 'running' : (runs ?? null) }
  }

  /** Ends it before its time. */
  stop(): void {
    this.#stop.abort()
  }

  #tell(happening: Happening): void {
    this.#happened({ ...happening, at: this.#since(happening.at) })
  }

  /** Why it cannot be done now; null if it can. */
  refusal(id: string, deed: Deed): string | null {
    // The first view needs all of them (R21), so there would be none.
    const early = this.#began === null ? 'wait until all nodes are in one view' : null
    if (id === ENGINE) return engineRefusal(deed, this.#engine) ?? early
    const uncut = deed === 'cut' ? whyNoCut(this.options.place) : null
    return uncut ?? refusal(id, deed, this.#picture.condition(id)) ?? early
  }

  /** Does it, or says why not. */
  act(id: string, deed: Deed): string | null {
    const complaint = this.refusal(id, deed)
    if (complaint !== null) return complaint
    const at = monotonic()
    this.#lastFault = at
    if (id === ENGINE) this.#strikeEngine(deed, at)
    else this.#picture.does(id, deed, at, (this.#engine && SAID_AT_ENGINE[deed]) ?? SAID[deed])
    if (deed === 'kill') this.#jury.died(id)
    this.#cluster?.do(id, deed).catch((error: unknown) => this.#trouble(String(error)))
    return null
  }

  #strikeEngine(deed: Deed, at: number): void {
    const runs = deed === 'kill' ? 'dead' : deed === 'pause' ? 'paused' : 'running'
    this.#engine = { runs, isCut: false }
    this.#tell({ at, kind: runs === 'running' ? 'repair' : 'fault', text: `the engine ${SAID[deed]}` })
  }

  #trouble(text: string): void {
    this.#tell({ at: monotonic(), kind: 'trouble', text })
  }

  async run(): Promise<Outcome> {
    this.#cluster = await Cluster.start(this.options, {
      hears: (id, word) => {
        this.#jury.hears(id, word)
        this.#picture.hears(id, word)
      },
      broke: (id, why) => this.#broke(id, why),
    })
    try {
      // The first view needs all of them (R21), and nobody can be started again before it.
      const cannotBegin = () => this.#picture.dead.length > 0
      await this.#until(() => this.#isBegun() || cannotBegin(), this.#started + START_MS)
      const unjudged = await this.#course()
      return this.#outcome(unjudged, await auditFiles(this.#cluster.audits))
    } finally {
      await this.#cluster.close()
    }
  }

  #outcome(unjudged: string | null, audited: Audited): Outcome {
    this.#jury.judge()
    for (const text of troublesIn(audited)) this.#jury.find(this.#jury.audit, monotonic(), [], text)
    return {
      snapshot: this.snapshot(),
      milliseconds: this.elapsed,
      views: this.#picture.views,
      violations: this.#jury.findings
        .flatMap(({ first }) => first)
        .map((violation) => ({ ...violation, at: Math.round(this.#since(violation.at)) / 1000 })),
      unjudged,
      audited,
    }
  }

  #isBegun(): boolean {
    if (!this.#picture.everyoneIsIn) return false
    this.#began = monotonic()
    this.#lastFault = this.#began
    return true
  }

  #broke(id: string, why: string): void {
    const at = monotonic()
    this.#picture.broke(id, at, get(why.split('\n'), 0))
    this.#jury.died(id)
    this.#jury.find(this.#jury.members, at, [id], `${id} ended by itself: ${why.split('\n')[0]}`)
  }

  /** From the first view to the end. */
  async #course(): Promise<string | null> {
    if (this.#stop.signal.aborted) return STOPPED
    const [dead] = this.#picture.dead
    if (this.#began === null && dead !== undefined)
      return this.options.place === null
        ? `the first view needs every node, but ${dead} ended before it`
        : `${dead} ended before all nodes were in one view`
    if (this.#began === null) {
      const text = `the ${this.options.ids.length} nodes were not in one view after ${START_MS / 1000} s`
      this.#jury.find(this.#jury.members, monotonic(), [], text)
      return 'the run never began'
    }
    const due = this.options.faults.toSorted((a, b) => a.at - b.at)
    const end = this.options.for ?? Number.POSITIVE_INFINITY
    await this.#until(() => {
      for (let next = due[0]; next !== undefined && next.at <= this.elapsed; next = due[0]) {
        due.shift()
        const { id, deed } = next
        const complaint = this.act(id, deed)
        if (complaint !== null) this.#trouble(complaint)
      }
      return this.elapsed >= end || this.#isDeserted(due)
    })
    if (this.#stop.signal.aborted) return STOPPED
    return this.#serve()
  }

  /** No process is left, and nobody will start one. */
  #isDeserted(due: readonly Scheduled[]): boolean {
    const { ids, isAttended } = this.options
    return (
      !isAttended && this.#picture.dead.length === ids.length && !due.some(({ deed }) => deed === 'restart')
    )
  }

  /** Everyone who can be served must have been, after the last fault: the run goes on until it is so, but not for ever. */
  async #serve(): Promise<string | null> {
    const { ids, names, leaseMs } = this.options
    const { healthy, dead } = this.#picture
    if (dead.length === ids.length) return 'no node is left, and none will be started again'
    if (this.#engine !== null && this.#engine.runs !== 'running')
      return 'the engine does not run: no view can change, and leases end'
    if (this.options.place === null && 2 * healthy.length <= ids.length) {
      return `${healthy.length} of ${ids.length} nodes are no majority: nobody can enter`
    }
    const patience = 3 * leaseMs + 10_000
    const missing = () => this.#jury.unserved(healthy, names, this.#lastFault)
    await this.#until(() => missing().length === 0, monotonic() + patience)
    if (this.#stop.signal.aborted) return STOPPED
    const now = monotonic()
    for (const { id, name } of missing()) {
      const seconds = ((now - this.#lastFault) / 1000).toFixed(1)
      this.#jury.find(
        this.#jury.served,
        now,
        [id],
        `${id} has not entered ${name} for ${seconds} s without faults`,
      )
    }
    return null
  }

  /** Looks again and again until it is so, it is stopped, or the time is over. */
  #until(isSo: () => boolean, deadline = Number.POSITIVE_INFINITY): Promise<void> {
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        this.#jury.judge()
        if (!this.#stop.signal.aborted && !isSo() && monotonic() < deadline) return
        clearInterval(timer)
        resolve()
      }, TICK_MS)
    })
  }
}

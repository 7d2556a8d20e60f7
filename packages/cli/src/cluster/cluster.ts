/** The processes of `turnwise up`: starts them, does to them what is asked, and leaves none behind. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Crew, entryBeside } from '@turnwise/fleet/crew'
import type { Distance } from '@turnwise/fleet/distance'
import type { Program } from '@turnwise/fleet/program'
import { hasBegun } from '../audit/audit-files.ts'
import { type Ground, groundFor, type PlaceWish } from './ground.ts'
import { type Deed, ENGINE } from './up-deeds.ts'
import type { MemberOptions, Word } from './up-messages.ts'

export interface ClusterOptions
  extends Pick<MemberOptions, 'algorithm' | 'leaseMs' | 'names' | 'seed' | 'record'> {
  readonly ids: readonly string[]
  /** Where they meet; null if they know each other by name. */
  readonly place: PlaceWish | null
  /** How far they are from each other; null if bytes take no time of ours. */
  readonly distance: Distance | null
}

export interface Listener {
  hears(id: string, word: Word): void
  /** The process of a node ended, and nobody killed it. */
  broke(id: string, why: string): void
}

/** Another program may take a port between the search and its use. */
const ATTEMPTS = 5

const AUDIT = '.audit'

const MEMBER = entryBeside(import.meta.url, 'up-member')

export class Cluster {
  readonly #options: ClusterOptions
  readonly #listener: Listener
  readonly #crew = new Crew('turnwise-up-')
  #ground: Ground | null = null
  readonly #processes = new Map<string, Program>()
  readonly #cut = new Set<string>()
  readonly #deeds = new Map<string, Promise<void>>()
  #isClosed = false

  private constructor(options: ClusterOptions, listener: Listener) {
    this.#options = options
    this.#listener = listener
  }

  static async start(options: ClusterOptions, listener: Listener): Promise<Cluster> {
    const cluster = new Cluster(options, listener)
    try {
      cluster.#ground = await groundFor(options, cluster.#crew)
      for (const id of options.ids) cluster.#launch(id, true)
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  /** For people; null without a meeting place. */
  get place(): string | null {
    return this.#ground?.place ?? null
  }

  #launch(id: string, firstStart: boolean, attempt = 1): void {
    const { place: _place, distance: _distance, ...common } = this.#options
    const joining = this.#ground?.joining(id, firstStart) ?? {}
    const audit = join(this.#crew.directory, `${id}${AUDIT}`)
    const member: MemberOptions = { ...common, id, joining, audit }
    const program = this.#crew.start(MEMBER, [JSON.stringify(member)], this.#ground?.env)
    this.#processes.set(id, program)
    program.child.on('message', (word: Word) => {
      if (word.is === 'failed') program.err = word.message
      else this.#listener.hears(id, word)
    })
    program.child.on('close', (code, name) => {
      if (this.#isClosed || this.#processes.get(id) !== program || program.isKilled) return
      const said = program.err.slice(-2000)
      if (!said.includes('EADDRINUSE') || attempt === ATTEMPTS) {
        this.#listener.broke(id, said.trim() || (name === null ? `exit code ${code}` : `killed by ${name}`))
        return
      }
      void this.#ground?.move(id).then(() => {
        if (!this.#isClosed) this.#launch(id, firstStart, attempt + 1)
      })
    })
  }

  /** It must be possible (see `refusal`). What is asked of one node is done in that order. */
  do(id: string, deed: Deed): Promise<void> {
    const done = (this.#deeds.get(id) ?? Promise.resolve()).then(() => this.#do(id, deed))
    // One that fails is told, and the next is done all the same.
    this.#deeds.set(
      id,
      done.catch(() => {}),
    )
    return done
  }

  async #do(id: string, deed: Deed): Promise<void> {
    if (id === ENGINE) return this.#doToEngine(deed)
    const program = this.#processes.get(id)
    switch (deed) {
      case 'kill':
        return program?.kill('SIGKILL')
      case 'restart':
        await program?.exited
        if (!this.#isClosed) this.#launch(id, false)
        return
      case 'pause':
        return program?.kill('SIGSTOP')
      case 'continue':
        return program?.kill('SIGCONT')
      case 'cut':
        this.#cut.add(id)
        return this.#rewire()
      case 'heal':
        this.#cut.delete(id)
        return this.#rewire()
    }
  }

  /** What the processes have written of themselves so far: of each life, and of a long one the last part. */
  get audits(): readonly string[] {
    const { directory } = this.#crew
    const files = readdirSync(directory).filter((file) => file.includes(AUDIT))
    return files
      .toSorted()
      .map((file) => join(directory, file))
      .filter(hasBegun)
  }

  #rewire(): void {
    this.#ground?.cut(this.#cut)
  }

  async #doToEngine(deed: Deed): Promise<void> {
    const engine = this.#ground?.engine ?? null
    if (engine === null || this.#isClosed) return
    if (deed === 'restart') return engine.restart()
    if (deed === 'pause') return engine.stop()
    // One that stands still would not hear that it is to end.
    engine.continue()
    if (deed === 'kill') await engine.end()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#ground?.close()
    await this.#crew.close()
  }
}

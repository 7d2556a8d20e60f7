/** The processes of `turnwise up`: starts them, does to them what is asked, and leaves none behind. */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { Crew, entryBeside, signal } from '../fleet/crew.ts'
import { Wires } from '../fleet/wires.ts'
import type { Deed } from './faults.ts'
import type { MemberOptions, Word } from './words.ts'

export interface ClusterOptions
  extends Pick<MemberOptions, 'algorithm' | 'lease' | 'names' | 'seed' | 'record'> {
  readonly ids: readonly string[]
}

export interface Listener {
  hears(id: string, word: Word): void
  /** The process of a node ended, and nobody killed it. */
  broke(id: string, why: string): void
}

/** Another program may take a port between the search and its use. */
const ATTEMPTS = 5

const MEMBER = entryBeside(import.meta.url, 'member')

export class Cluster {
  readonly #options: ClusterOptions
  readonly #listener: Listener
  readonly #crew = new Crew('turnwise-up-')
  #wires = new Wires()
  readonly #processes = new Map<string, ChildProcess>()
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
      cluster.#wires = await Wires.between(options.ids)
      for (const id of options.ids) cluster.#launch(id, true)
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  #launch(id: string, firstStart: boolean, attempt = 1): void {
    const { ids: _, ...common } = this.#options
    const stateDir = join(this.#crew.directory, id)
    const member: MemberOptions = { ...common, id, ...this.#wires.addresses(id), stateDir, firstStart }
    const child = this.#crew.start(MEMBER, [JSON.stringify(member)])
    this.#processes.set(id, child)
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
    child.on('message', (word: Word) => {
      if (word.is === 'failed') said = word.message
      else this.#listener.hears(id, word)
    })
    child.on('close', (code, name) => {
      if (this.#isClosed || this.#processes.get(id) !== child || child.killed) return
      if (!said.includes('EADDRINUSE') || attempt === ATTEMPTS) {
        this.#listener.broke(id, said.trim() || (name === null ? `exit code ${code}` : `killed by ${name}`))
        return
      }
      void this.#wires.move(id).then(() => {
        if (!this.#isClosed) this.#launch(id, firstStart, attempt + 1)
      })
    })
  }

  /** It must be possible (see `refusal`). What is asked of one node is done in that order. */
  do(id: string, deed: Deed): Promise<void> {
    const done = (this.#deeds.get(id) ?? Promise.resolve()).then(() => this.#do(id, deed))
    this.#deeds.set(id, done)
    return done
  }

  async #do(id: string, deed: Deed): Promise<void> {
    const child = this.#processes.get(id)
    switch (deed) {
      case 'kill':
        child?.kill('SIGKILL')
        return
      case 'restart':
        await this.#crew.ended(child)
        if (!this.#isClosed) this.#launch(id, false)
        return
      case 'pause':
        return signal(child, 'SIGSTOP')
      case 'continue':
        return signal(child, 'SIGCONT')
      case 'cut':
        this.#cut.add(id)
        return this.#rewire()
      case 'heal':
        this.#cut.delete(id)
        return this.#rewire()
    }
  }

  #rewire(): void {
    for (const [from, to, relay] of this.#wires) {
      if (this.#cut.has(from) || this.#cut.has(to)) relay.cut()
      else relay.heal()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wires.close()
    await this.#crew.close()
  }
}

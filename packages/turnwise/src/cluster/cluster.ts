/** The processes of `turnwise up`: starts them, does to them what is asked, and leaves none behind. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Deed } from './faults.ts'
import { freePort, Relay } from './relay.ts'
import type { GuardWord, MemberOptions, Word } from './words.ts'

export interface ClusterOptions extends Pick<MemberOptions, 'algorithm' | 'lease' | 'names' | 'seed'> {
  readonly ids: readonly string[]
}

export interface Listener {
  hears(id: string, word: Word): void
  /** The process of a node ended, and nobody killed it. */
  broke(id: string, why: string): void
}

/** Another program may take a port between the search and its use. */
const ATTEMPTS = 5

export class Cluster {
  readonly #options: ClusterOptions
  readonly #listener: Listener
  readonly #directory = mkdtempSync(join(tmpdir(), 'turnwise-up-'))
  readonly #guard: ChildProcess
  readonly #ports = new Map<string, number>()
  /** By sender, then by receiver. */
  readonly #relays = new Map<string, Map<string, Relay>>()
  readonly #processes = new Map<string, ChildProcess>()
  readonly #ended = new WeakMap<ChildProcess, Promise<void>>()
  readonly #cut = new Set<string>()
  readonly #deeds = new Map<string, Promise<void>>()
  #isClosed = false

  private constructor(options: ClusterOptions, listener: Listener) {
    this.#options = options
    this.#listener = listener
    this.#guard = start('guard', [this.#directory])
    this.#guard.on('error', () => {})
  }

  static async start(options: ClusterOptions, listener: Listener): Promise<Cluster> {
    const cluster = new Cluster(options, listener)
    try {
      await cluster.#wire()
      for (const id of options.ids) cluster.#launch(id, true)
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  async #wire(): Promise<void> {
    const { ids } = this.#options
    for (const id of ids) this.#ports.set(id, await freePort())
    for (const from of ids) {
      const relays = new Map<string, Relay>()
      this.#relays.set(from, relays)
      for (const to of ids) {
        if (to !== from) relays.set(to, await Relay.open(() => this.#ports.get(to) ?? 0))
      }
    }
  }

  #launch(id: string, firstStart: boolean, attempt = 1): void {
    const { ids: _, ...common } = this.#options
    const listen = `127.0.0.1:${this.#ports.get(id)}`
    const relays = [...(this.#relays.get(id) ?? [])].map(([to, relay]) => [to, relay.address])
    const peers = Object.fromEntries([[id, listen], ...relays]) as Record<string, string>
    const stateDir = join(this.#directory, id)
    const member: MemberOptions = { ...common, id, listen, peers, stateDir, firstStart }
    const child = start('member', [JSON.stringify(member)])
    this.#processes.set(id, child)
    this.#watch(child)
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
    child.on('message', (word: Word) => {
      if (word.is === 'failed') said = word.message
      else this.#listener.hears(id, word)
    })
    child.on('close', (code) => {
      if (this.#isClosed || this.#processes.get(id) !== child || child.killed) return
      if (!said.includes('EADDRINUSE') || attempt === ATTEMPTS) {
        this.#listener.broke(id, said.trim() || `exit code ${code}`)
        return
      }
      void freePort().then((port) => {
        this.#ports.set(id, port)
        if (!this.#isClosed) this.#launch(id, firstStart, attempt + 1)
      })
    })
  }

  #watch(child: ChildProcess): void {
    const { pid } = child
    if (pid === undefined) return
    this.#tellGuard({ pid, isAlive: true })
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        this.#tellGuard({ pid, isAlive: false })
        resolve()
      })
    })
    this.#ended.set(child, ended)
    child.on('error', () => {})
  }

  #tellGuard(word: GuardWord): void {
    if (this.#guard.connected) this.#guard.send(word, () => {})
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
        if (child !== undefined) await this.#ended.get(child)
        if (!this.#isClosed) this.#launch(id, false)
        return
      // Not by the method of the child, which would count it as killed.
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
    for (const [from, relays] of this.#relays) {
      for (const [to, relay] of relays) {
        if (this.#cut.has(from) || this.#cut.has(to)) relay.cut()
        else relay.heal()
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const children = [...this.#processes.values()]
    for (const child of children) child.kill('SIGKILL')
    for (const child of children) await this.#ended.get(child)
    for (const relays of this.#relays.values()) for (const relay of relays.values()) relay.close()
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 })
    if (this.#guard.exitCode !== null || this.#guard.signalCode !== null) return
    await new Promise<void>((resolve) => {
      this.#guard.once('exit', () => resolve())
      if (this.#guard.connected) this.#guard.disconnect()
    })
  }
}

function signal(child: ChildProcess | undefined, name: NodeJS.Signals): void {
  if (child?.pid !== undefined && child.exitCode === null) process.kill(child.pid, name)
}

/** In a session of its own: Ctrl-C is for `turnwise up`, which ends it. */
function start(entry: 'member' | 'guard', args: readonly string[]): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const file = fileURLToPath(new URL(`./${entry}.${isSource ? 'ts' : 'js'}`, import.meta.url))
  return fork(file, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: isSource ? ['--import', 'tsx', '--conditions=turnwise-source'] : [],
  })
}

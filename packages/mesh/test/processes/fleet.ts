/**
 * Real processes, each with one node, on loopback. Whatever they tell goes to one witness. Processes that are well at the
 * end of a test leave the mesh and serve in the next: one starts much slower than it joins.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { program } from '../../../../test/program.ts'
import { freeAddresses } from '../../../cli/src/fleet/ports.ts'
import type { JoinOptions } from '../../src/join.ts'
import { type Answers, type Command, type Failure, type Line, now } from './talk.ts'
import { FencedRegister, Witness } from './witness.ts'

/** T: so long that a machine with twice as many busy processes as cores does not let it lapse. */
export const LEASE = 1000

/** For what has to happen at all; only a machine that stands still takes so long. */
export const PATIENCE = 60_000

/** Why these tests cannot run here, or null. */
export const obstacle: string | null =
  process.platform === 'win32' ? 'Windows has no SIGSTOP and no sockets in directories' : null

export class ProcessFailure extends Error {
  override readonly name: string

  constructor({ name, message }: Failure) {
    super(message)
    this.name = name
  }
}

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: Error) => void
}

type Watch = (line: Line) => boolean

let lives = 0

/** One process. */
export class Life {
  readonly number: number
  readonly child: ChildProcess
  readonly logs: string[] = []
  readonly ended: Promise<void>
  isSound = true
  diedAt: number | null = null
  hear: (line: Line) => void = () => {}
  #tickets = 0
  readonly #pending = new Map<number, Pending>()
  readonly #watches = new Set<Watch>()
  readonly #loaded: Promise<void>

  constructor() {
    lives += 1
    this.number = lives
    this.child = spawn(process.execPath, [program(new URL('child.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    const { stdout } = this.child
    if (stdout === null) throw new Error('a process without standard output')
    createInterface({ input: stdout }).on('line', (text) => this.#read(JSON.parse(text) as Line))
    this.ended = once(this.child, 'close').then(() => {
      this.diedAt ??= now()
      for (const { reject } of this.#pending.values()) reject(new Error('the process ended'))
    })
    this.#loaded = this.waitFor('being loaded', ({ kind }) => kind === 'loaded')
    // Nobody may wait for one that is ended before it was needed.
    this.#loaded.catch(() => {})
  }

  #read(line: Line): void {
    if (line.kind === 'log') this.logs.push(line.text)
    this.hear(line)
    for (const watch of this.#watches) if (watch(line)) this.#watches.delete(watch)
    if (line.kind !== 'answer' && line.kind !== 'failure') return
    const pending = this.#pending.get(line.ticket)
    this.#pending.delete(line.ticket)
    if (line.kind === 'answer') pending?.resolve(line.value)
    else pending?.reject(new ProcessFailure(line.failure))
  }

  /** Rejects with the failure that the process tells. */
  async tell<Do extends Command['do']>(
    command: Extract<Command, { do: Do }>,
    patience = PATIENCE,
  ): Promise<Answers[Do]> {
    await this.#loaded
    this.#tickets += 1
    const ticket = this.#tickets
    const answer = new Promise((resolve, reject) => this.#pending.set(ticket, { resolve, reject }))
    this.child.send({ ticket, command })
    return within(patience, `${this.number}: ${JSON.stringify(command)}`, answer) as Promise<Answers[Do]>
  }

  waitFor(what: string, watch: Watch): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      this.#watches.add((line) => {
        const isIt = watch(line)
        if (isIt) resolve()
        return isIt
      })
    })
    const ended = this.ended.then(() => Promise.reject(new Error(`the process ended before ${what}`)))
    return within(PATIENCE, what, Promise.race([seen, ended]))
  }

  get loaded(): Promise<void> {
    return this.#loaded
  }

  /** Resolves when all that it said has been heard. */
  async kill(): Promise<void> {
    this.isSound = false
    this.child.kill('SIGKILL')
    this.diedAt = now()
    await this.ended
  }

  stop(): void {
    this.child.kill('SIGSTOP')
  }

  goOn(): void {
    this.child.kill('SIGCONT')
  }
}

const idle: Life[] = []

/** Ends the processes that wait for another test. */
export async function endAll(): Promise<void> {
  await Promise.all(idle.splice(0).map((life) => life.kill()))
}

export class Fleet {
  readonly witness = new Witness()
  readonly register = new FencedRegister()
  readonly peers: Record<string, string>
  readonly #root: string
  readonly #lives: Life[] = []
  readonly #nodes = new Map<string, Life>()

  private constructor(root: string, peers: Record<string, string>) {
    this.#root = root
    this.peers = peers
  }

  static async of(ids: readonly string[]): Promise<Fleet> {
    const root = await mkdtemp(join(tmpdir(), 'tw-'))
    return new Fleet(root, await freeAddresses(ids))
  }

  /** Three of them, in one view. */
  static async joined(options: Readonly<Record<string, Partial<JoinOptions>>> = {}): Promise<Fleet> {
    const ids = ['a', 'b', 'c']
    const fleet = await Fleet.of(ids)
    await Promise.all(ids.map((id) => fleet.join(id, { firstStart: true, ...options[id] })))
    await fleet.view(ids)
    return fleet
  }

  at(id: string): Life {
    const life = this.#nodes.get(id)
    if (life === undefined) throw new Error(`no process of ${id}`)
    return life
  }

  stateDir(id: string): string {
    return join(this.#root, id)
  }

  options(id: string, options: Partial<JoinOptions> = {}): JoinOptions {
    const { peers } = this
    // Whoever waits for a view that comes late, on a busy machine, is not told that there is none.
    return { id, peers, stateDir: this.stateDir(id), lease: LEASE, quorumTimeout: PATIENCE, ...options }
  }

  /** A process, loaded already if one waits, that is the node `id` from now on. */
  enlist(id: string): Life {
    const life = idle.pop() ?? new Life()
    this.#lives.push(life)
    this.#nodes.set(id, life)
    life.hear = (line) => {
      if (line.kind === 'write') this.register.write(line.name, BigInt(line.fence))
      else if ('hold' in line) this.witness.saw(life.number, line)
    }
    return life
  }

  /** Resolves when it has joined. */
  async join(id: string, options: Partial<JoinOptions> = {}): Promise<Life> {
    const life = this.enlist(id)
    await life.tell({ do: 'join', options: this.options(id, options) })
    return life
  }

  /** A process that waits, loaded, for the next `join`. */
  async spare(): Promise<void> {
    const life = idle[0] ?? new Life()
    if (!idle.includes(life)) idle.push(life)
    await life.loaded
  }

  async kill(id: string): Promise<void> {
    const life = this.at(id)
    await life.kill()
    this.witness.died(life.number, life.diedAt ?? now())
  }

  /** Resolves when it is dead by its own hand. */
  async died(id: string): Promise<void> {
    const life = this.at(id)
    life.isSound = false
    await within(PATIENCE, `the death of ${id}`, life.ended)
    this.witness.died(life.number, life.diedAt ?? now())
  }

  /** Resolves when all of these are in one view of just these. */
  async view(ids: readonly string[]): Promise<void> {
    const wanted = ids.toSorted().join()
    await until(`one view of ${wanted}`, async () => {
      const all = await Promise.all(ids.map((id) => this.at(id).tell({ do: 'status' })))
      const isOne = all.every(({ epoch, members, leaseLeft }) => {
        return epoch === all[0].epoch && members.toSorted().join() === wanted && leaseLeft > 0
      })
      return isOne
    })
  }

  /** Each of them takes the lock once and releases it. */
  async everyoneServed(ids: readonly string[], name = 'L'): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        const { hold } = await this.at(id).tell({ do: 'acquire', name, options: { waitForQuorum: true } })
        await this.at(id).tell({ do: 'release', hold })
      }),
    )
  }

  /** What the witness found. */
  async end(): Promise<string[]> {
    for (const life of new Set(this.#lives)) {
      if (life.diedAt !== null) continue
      life.goOn()
      const hasLeft =
        life.isSound &&
        (await life.tell({ do: 'leave' }).then(
          () => true,
          () => false,
        ))
      life.hear = () => {}
      if (hasLeft) idle.push(life)
      else await life.kill()
    }
    await rm(this.#root, { recursive: true, force: true })
    return this.witness.findings()
  }
}

/** Asks again and again. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = now() + PATIENCE
  while (!(await isSo())) {
    if (now() > end) throw new Error(`not within ${PATIENCE} ms: ${what}`)
    await pause(10)
  }
}

/** Where a lease has to lapse, or a fault has to last. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

export async function within<T>(ms: number, what: string, result: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms)
  })
  try {
    return await Promise.race([result, limit])
  } finally {
    clearTimeout(timer)
  }
}

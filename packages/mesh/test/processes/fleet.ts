/**
 * Real processes, each with one node, on loopback. Whatever they tell goes to one witness. Processes that are well at the
 * end of a test leave the mesh and serve in the next: one starts much slower than it joins.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { freeAddresses } from '@turnwise/fleet/ports'
import { Program } from '@turnwise/fleet/program'
import { program } from '../../../../test/program.ts'
import { readState } from '../../src/disk/state-file.ts'
import type { JoinOptions } from '../../src/join.ts'
import { stampPath } from '../../src/lease/stamp.ts'
import { type Answers, type Command, type Line, now } from './talk.ts'
import { FencedRegister, Witness } from './witness.ts'

/** T: so long that a machine with twice as many busy processes as cores does not let it lapse. */
export const LEASE = 1000

/** For events that must happen. Only a machine that stands still takes so long. */
export const PATIENCE = 60_000

/** Why these tests cannot run here, or null. */
export const obstacle: string | null =
  process.platform === 'win32' ? 'Windows has no SIGSTOP and no sockets in directories' : null

const CHILD = await program(new URL('child.ts', import.meta.url))

let lives = 0

/** One process. */
export class Life {
  readonly number: number
  readonly program: Program<Command>
  readonly logs: string[] = []
  readonly loaded: Promise<void>
  isSound = true
  diedAt: number | null = null
  hear: (line: Line) => void = () => {}
  readonly #watches = new Set<(line: Line) => void>()

  constructor() {
    lives += 1
    this.number = lives
    this.program = new Program([CHILD], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      keeps: 2000,
    })
    this.program.hear = (text) => this.#read(JSON.parse(text) as Line)
    void this.program.code.then(() => (this.diedAt ??= now()))
    this.loaded = this.waitFor('being loaded', ({ kind }) => kind === 'loaded')
    // Nobody may wait for one that is ended before it was needed.
    this.loaded.catch(() => {})
  }

  #read(line: Line): void {
    if (line.kind === 'log') this.logs.push(line.text)
    this.hear(line)
    for (const watch of this.#watches) watch(line)
  }

  /** Rejects with the failure that the process tells. */
  async tell<Do extends Command['do']>(
    command: Extract<Command, { do: Do }>,
    patience = PATIENCE,
  ): Promise<Answers[Do]> {
    await this.loaded
    return this.program.ask<Answers[Do]>(command, patience)
  }

  async waitFor(what: string, isIt: (line: Line) => boolean): Promise<void> {
    let seen: Line | null = null
    const watch = (line: Line) => void (seen ??= isIt(line) ? line : null)
    this.#watches.add(watch)
    await this.program.until(what, () => seen, PATIENCE).finally(() => this.#watches.delete(watch))
  }

  /** Resolves when all that it said has been heard. */
  async kill(): Promise<void> {
    this.isSound = false
    this.program.kill('SIGKILL')
    this.diedAt = now()
    await this.program.code
  }

  stop(): void {
    this.program.kill('SIGSTOP')
  }

  goOn(): void {
    this.program.kill('SIGCONT')
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
    // On a busy machine a view comes late. A caller that waits for it must not hear that there is none.
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
    await within(PATIENCE, `the death of ${id}`, life.program.code)
    this.witness.died(life.number, life.diedAt ?? now())
  }

  /** Resolves when all of these are in one view of just these. */
  async view(ids: readonly string[]): Promise<void> {
    const wanted = ids.toSorted().join()
    await until(`one view of ${wanted}`, async () => {
      const all = await Promise.all(ids.map((id) => this.at(id).tell({ do: 'status' })))
      const isOne = all.every(({ epoch, members, leaseLeft }) => {
        return epoch === get(all, 0).epoch && members.toSorted().join() === wanted && leaseLeft > 0
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
    await removeStamps(this.#root)
    await rm(this.#root, { recursive: true, force: true })
    return this.witness.findings()
  }
}

/** Those of the voters below this folder that were killed. Others have removed their own. */
export async function removeStamps(root: string): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const state = await readFile(join(root, entry.name, 'state'), 'utf8').catch(() => '')
    const durable = readState(state)
    if (typeof durable !== 'string') await rm(stampPath(durable.voterId), { force: true })
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

/** Where the torture happens: the processes, the ways between them, the referee, and hands to do what is planned. */
import { closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Crew, entryBeside } from '@turnwise/fleet/crew'
import type { Program } from '@turnwise/fleet/program'
import { readState } from '@turnwise/mesh/disk/state-file'
import { monotonic } from '@turnwise/mesh/lease/clock'
import type { Durable } from '@turnwise/mesh/protocol/record'
import { program } from '../../test/program.ts'
import type { SecurityKind } from './credentials.ts'
import type { Deed, PlaceName } from './deeds.ts'
import { copyState, empty, fill } from './disks.ts'
import { type Ground, groundFor } from './ground.ts'
import { Kernel } from './kernel.ts'
import { RefereeLine } from './referee-line.ts'
import type { Entry, Lock, MemberOptions, MemberWord, Order } from './torture-messages.ts'

export interface StageOptions extends Pick<MemberOptions, 'leaseMs' | 'seed' | 'ignoresLoss'> {
  readonly ids: readonly string[]
  readonly algorithm: string
  /** Where they meet; null if they are named. */
  readonly at: PlaceName | null
  /** How they prove who they are, if they are named. */
  readonly security: SecurityKind
  readonly locks: readonly Lock[]
  /** Where the log and the traces are written. */
  readonly directory: string
  /** Where every process writes its audit; null if none does. */
  readonly audits: string | null
  /** This process has a network and a mount namespace of its own: see `Kernel`. */
  readonly ownNamespace: boolean
  /** Another program for the nodes: for tests of the judges. */
  readonly program?: { readonly source: URL; readonly args: readonly string[] }
}

/** What differs from the usual start of a node's process. */
interface Launch {
  readonly firstStart?: boolean
  /** How many times that of the others. */
  readonly leaseFactor?: number | undefined
  readonly disk?: 'clone' | 'old-copy'
}

/** Another program may take a port between the search and its use. */
const ATTEMPTS = 5
/** Bytes of one life. */
const MOST_AUDIT = 2 ** 25
/** A node that leaves in good order waits for nobody. */
const LEAVE_MS = 15_000

export class Stage {
  readonly #options: StageOptions
  readonly #crew: Crew
  readonly #ground: Ground
  readonly #referee: number
  readonly #line: RefereeLine
  readonly #kernel: Kernel | null
  /** The program of the nodes, made into JavaScript. */
  readonly #program: string
  readonly #log: number
  #rest = ''
  #traces = ''
  #lives = 0
  readonly #processes = new Map<string, Program>()
  /** Those that stand by. */
  readonly #ready = new Map<string, Program>()
  readonly #lifeOf = new WeakMap<Program, number>()
  /** They were told to go. */
  readonly #going = new WeakSet<Program>()
  readonly #deeds = new Map<string, Promise<void>>()
  /** They have an old copy of their state directory. */
  readonly #old = new Set<string>()
  #isClosed = false

  private constructor(
    options: StageOptions,
    crew: Crew,
    ground: Ground,
    referee: number,
    line: RefereeLine,
    kernel: Kernel | null,
    program: string,
  ) {
    this.#options = options
    this.#crew = crew
    this.#ground = ground
    this.#referee = referee
    this.#line = line
    this.#kernel = kernel
    this.#program = program
    this.#log = openSync(logIn(options), 'r')
  }

  /** `broken` is called if the referee ends. */
  static async open(options: StageOptions, broken: () => void): Promise<Stage> {
    const kernel = options.ownNamespace ? await Kernel.open() : null
    const crew = new Crew('turnwise-torture-')
    try {
      writeFileSync(logIn(options), '')
      const referee = crew.start(entryBeside(import.meta.url, 'referee'), [logIn(options)])
      const port = await new Promise<number>((resolve, reject) => {
        referee.child.once('message', (word: { readonly port: number }) => resolve(word.port))
        void referee.code.then((code) => reject(new Error(`the referee did not start: exit code ${code}`)))
      })
      const line = await RefereeLine.open(port, { id: null, life: 0 }, broken)
      const late = (milliseconds: number) =>
        line.tell({ is: 'stalled', at: monotonic(), milliseconds: Math.round(milliseconds) })
      const ground = await groundFor(options, crew.directory, late)
      const file = await program((options.program ?? MEMBER).source, crew.directory)
      return new Stage(options, crew, ground, port, line, kernel, file)
    } catch (error) {
      await crew.close()
      throw error
    }
  }

  /** From now on every process writes what it sees of the locks into this directory. */
  traceInto(directory: string): void {
    this.#traces = directory
    for (const id of this.#processes.keys()) this.#order(id, { traces: directory })
  }

  #order(id: string, word: MemberWord): void {
    const child = this.#processes.get(id)?.child
    if (child?.connected) child.send(word, () => {})
  }

  startAll(): void {
    for (const id of this.#options.ids) this.#launch(id, { firstStart: true })
  }

  tell(order: Order): void {
    this.#line.tell(order)
  }

  /** A process that begins when it is told as whom. */
  #load(): Program {
    const { args } = this.#options.program ?? MEMBER
    return this.#crew.start(this.#program, args, NO_MORE_ROOTS)
  }

  #launch(id: string, how: Launch, attempt = 1): void {
    const { algorithm, locks, seed, ignoresLoss, at } = this.#options
    const { disk, firstStart = false } = how
    this.#lives += 1
    const life = this.#lives
    const leaseMs = Math.round((how.leaseFactor ?? 1) * this.#options.leaseMs)
    const stateDir = disk === 'clone' ? this.#cloneOf(id) : this.#stateOf(id)
    const ofDisk = at === null ? { stateDir, firstStart } : {}
    const member: MemberOptions = {
      joining: {
        id,
        algorithm,
        lease: leaseMs,
        ...this.#ground.joining(id),
        ...ofDisk,
        ...this.#audited(id, life),
      },
      leaseMs,
      locks,
      seed,
      ignoresLoss,
      id,
      life,
      referee: this.#referee,
      traces: this.#traces,
    }
    this.tell({ is: 'begins', at: monotonic(), id, life, ...(disk !== undefined && { disk }) })
    const program = this.#ready.get(id) ?? this.#load()
    this.#ready.delete(id)
    program.child.send(member, () => {})
    this.#processes.set(id, program)
    this.#lifeOf.set(program, life)
    program.child.on('close', (code, name) => {
      if (this.#isClosed || this.#going.has(program)) return
      const said = program.err
      if (said.includes('EADDRINUSE') && attempt < ATTEMPTS) {
        void this.#ground.move(id).then(() => {
          const isWanted = !this.#isClosed && !this.#going.has(program)
          if (isWanted) this.#launch(id, how, attempt + 1)
        })
        return
      }
      const why = /^\w*Error: .*$/m.exec(said)?.[0] ?? (said.trim() || `exit code ${code ?? name}`)
      this.tell({ is: 'ends', at: monotonic(), id, life, why })
    })
  }

  #audited(id: string, life: number): Pick<MemberOptions['joining'], 'audit'> {
    const { audits } = this.#options
    return audits === null ? {} : { audit: { file: join(audits, `${id}-${life}.audit`), limit: MOST_AUDIT } }
  }

  #stateOf(id: string): string {
    return join(this.#crew.directory, id)
  }

  #copyOf(id: string): string {
    return join(this.#crew.directory, `${id}.copy`)
  }

  #cloneOf(id: string): string {
    return join(this.#crew.directory, `${id}.clone`)
  }

  /** What is done to one process is done in the order of the plan, each when it is due. Resolves when it is done. */
  do(deed: Deed, due: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    const key = 'id' in deed ? deed.id : 'from' in deed ? `${deed.from} to ${deed.to}` : deed.do
    const done = (this.#deeds.get(key) ?? Promise.resolve()).then(due).then(() => this.#do(deed))
    this.#deeds.set(key, done)
    return done
  }

  async allIsDone(): Promise<void> {
    await Promise.all(this.#deeds.values())
  }

  async #do(deed: Deed): Promise<void> {
    if (this.#isClosed || this.#isBeyond(deed)) return
    if (['start', 'copy', 'put-back', 'clone'].includes(deed.do) && 'id' in deed) await this.#gone(deed.id)
    this.tell({ is: 'does', at: monotonic(), deed })
    if (deed.do === 'engine' || deed.do === 'lose') return this.#ground.doToEngine(deed)
    if (deed.do === 'cut' || deed.do === 'heal') return this.#doToLink(deed)
    if (deed.do === 'stand-by') return void this.#ready.set(deed.id, this.#load())
    if (deed.do === 'block') return this.#order(deed.id, { block: deed.lasts })
    if (deed.do === 'hoard') return this.#order(deed.id, { hoard: deed.lasts })
    if (deed.do === 'linger') return this.#order(deed.id, { linger: deed.lasts })
    if (deed.do === 'change-voters') return this.#order(deed.id, { voters: deed.voters })
    if (deed.do in SIGNALS) return this.#signal(deed.id, deed.do as keyof typeof SIGNALS)
    if (!this.#isClosed) await this.#doToDisk(deed)
  }

  /** What only the kernel could do. */
  #isBeyond(deed: Deed): boolean {
    return this.#kernel === null && needsKernel(deed)
  }

  async #doToLink(deed: Extract<Deed, { do: 'cut' | 'heal' }>): Promise<void> {
    const relay = this.#ground.relay(deed.from, deed.to)
    if (relay === undefined) return
    if (deed.do === 'heal') {
      relay.heal()
      return this.#kernel?.pass(relay.port)
    }
    if (deed.how !== 'dropped' && deed.how !== 'lossy') return relay.cut(deed.how)
    if (this.#kernel !== null) return this.#kernel.drop(relay.port, deed.how)
    relay.cut('swallowed')
  }

  #signal(id: string, what: keyof typeof SIGNALS): void {
    const program = this.#processes.get(id)
    if (program !== undefined && (what === 'kill' || what === 'leave')) this.#going.add(program)
    program?.kill(SIGNALS[what])
  }

  /** What is done to its disk, and with which it starts. */
  async #doToDisk(deed: Deed): Promise<void> {
    if (!('id' in deed)) return
    const { id } = deed
    const own = this.#stateOf(id)
    if (deed.do === 'fill') await fill(own)
    if (deed.do === 'protect') await this.#kernel?.protect(own)
    if (deed.do === 'copy') copyState(own, this.#copyOf(id))
    // What a copy that is not there would be put back to is left as it is.
    if (deed.do === 'put-back' && copyState(this.#copyOf(id), own)) this.#old.add(id)
    if (deed.do === 'clone' && copyState(this.#stateOf(deed.of), this.#cloneOf(id)))
      this.#launch(id, { disk: 'clone' })
    if (deed.do !== 'start') return
    await this.#kernel?.unprotect(own)
    if (!deed.keepsState) rmSync(own, { recursive: true, force: true })
    empty(own)
    const isOld = this.#old.delete(id) && deed.keepsState
    this.#launch(id, { leaseFactor: deed.leaseFactor, ...(isOld && { disk: 'old-copy' }) })
  }

  /** Resolves when the process of a node that was killed, or told to leave, has ended. */
  async #gone(id: string): Promise<void> {
    const program = this.#processes.get(id)
    if (program === undefined) return
    const late = setTimeout(() => {
      const why = `it did not leave within ${LEAVE_MS / 1000} s`
      this.tell({ is: 'ends', at: monotonic(), id, life: this.#lifeOf.get(program) ?? 0, why })
      program.kill('SIGKILL')
    }, LEAVE_MS)
    await program.exited
    clearTimeout(late)
  }

  /** What was written into the log since this was last asked. */
  entries(): Entry[] {
    if (this.#isClosed) return []
    const chunk = Buffer.allocUnsafe(1 << 16)
    const parts: Buffer[] = []
    for (let read = readSync(this.#log, chunk); read > 0; read = readSync(this.#log, chunk)) {
      parts.push(Buffer.from(chunk.subarray(0, read)))
    }
    const lines = (this.#rest + Buffer.concat(parts).toString('utf8')).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.map((line) => JSON.parse(line) as Entry)
  }

  /** R20: the disks of all nodes vote, no others do, and no change of voters is under way. At a place nobody votes. */
  get votersAreThere(): boolean {
    if (this.#options.at !== null) return true
    const states = this.#options.ids.map((id) => readDisk(join(this.#stateOf(id), 'state')))
    const voters = states.map((state) => state?.voterId ?? '').toSorted()
    return states.every((state) => {
      const accepted = state?.accepted
      if (accepted?.oldVoters !== null) return false
      return (
        accepted.voters
          .map(({ voterId }) => voterId)
          .toSorted()
          .join() === voters.join()
      )
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#line.close()
    closeSync(this.#log)
    await this.#kernel?.close()
    await this.#ground.close()
    await this.#crew.close()
  }
}

/** What is left out without one. A way that is to be dropped is swallowed in its relay instead. */
export function needsKernel(deed: Deed): boolean {
  return deed.do === 'protect' || (deed.do === 'cut' && deed.how === 'lossy')
}

/**
 * Node 20 reads this file whenever a process starts, before any code runs. The nodes trust what `join` is given and nothing else, and
 * the time counts to the service after a fault.
 */
const NO_MORE_ROOTS = { NODE_EXTRA_CA_CERTS: '' }

const MEMBER = { source: new URL('./torture-member.ts', import.meta.url), args: [] }

const SIGNALS = { kill: 'SIGKILL', leave: 'SIGTERM', stop: 'SIGSTOP', continue: 'SIGCONT' } as const

function logIn({ directory }: Pick<StageOptions, 'directory'>): string {
  return join(directory, 'log.jsonl')
}

/** Null while it is not there, or being written for the first time. */
function readDisk(path: string): Durable | null {
  try {
    const state = readState(readFileSync(path, 'utf8'))
    return typeof state === 'string' ? null : state
  } catch {
    return null
  }
}

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { ANSWER, type Failure, type Reply } from './program-answers.ts'

/** Nothing that has to happen takes so long, on however busy a machine. */
export const DEADLINE_MS = 180_000

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface ProgramOptions extends SpawnOptions {
  /** Another program than Node. */
  readonly file?: string
  /** How many characters of what it printed are kept, the last ones. All, if nothing is said. */
  readonly keeps?: number
  /** Added to that of this program. What is secret is not for the arguments, which every user of the machine can read. */
  readonly env?: Readonly<Record<string, string>>
}

/** What a process answered that could not do what it was asked. */
export class ProcessFailure extends Error {
  override readonly name: string

  constructor({ name, message }: Failure) {
    super(message)
    this.name = name
  }
}

/** A process that this program started: what it says, what it answers, and how it ends. */
export class Program<Question extends object = object> {
  readonly child: ChildProcess
  out = ''
  err = ''
  /** As a shell tells it, when all that it said has been heard. */
  readonly code: Promise<number>
  /** Its own children may still have its streams. */
  readonly exited: Promise<void>
  isKilled = false
  /** Gets each line that it prints, except its answers. */
  hear: (line: string) => void = () => {}
  #line = ''
  #tickets = 0
  #isOver = false
  readonly #replies = new Map<number, Reply>()
  readonly #looks = new Set<() => void>()

  /** `args` are those of Node, unless another file is to be run. */
  constructor(args: readonly string[], options: ProgramOptions = {}) {
    const { file = process.execPath, keeps = Number.POSITIVE_INFINITY, env, ...others } = options
    this.child = spawn(file, args, { ...others, env: { ...process.env, ...env } })
    const { stdin, stdout, stderr } = this.child
    stdin?.on('error', () => {})
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out = (this.out + text).slice(-keeps)
      this.#read(text)
    })
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err = (this.err + text).slice(-keeps)
      this.#look()
    })
    this.exited = new Promise((resolve) => {
      this.child.on('exit', () => resolve())
      this.child.on('error', ({ message }) => {
        this.err += message
        if (this.child.pid === undefined) resolve()
      })
    })
    this.code = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        this.#isOver = true
        this.#look()
        resolve(signal === null ? (code ?? -1) : 128 + constants.signals[signal])
      })
    })
  }

  #read(text: string): void {
    // A long line comes in many pieces.
    if (!text.includes('\n')) {
      this.#line += text
      return this.#look()
    }
    const lines = (this.#line + text).split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith(ANSWER)) this.hear(line)
      else {
        const reply = JSON.parse(line) as Reply
        this.#replies.set(reply.ticket, reply)
      }
    }
    this.#look()
  }

  #look(): void {
    for (const look of this.#looks) look()
  }

  get isRunning(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null
  }

  /** When it is over, all that it said. */
  get ended(): Promise<Ended> {
    return this.code.then((code) => ({ code, out: this.out, err: this.err }))
  }

  /** What `find` finds, which looks whenever the program has said something. */
  until<Found>(what: string, find: () => Found | null, ms: number | null = DEADLINE_MS): Promise<Found> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        this.#looks.delete(look)
      }
      const fail = (why: string) => {
        end()
        reject(new Error(`${why} before ${what}; it said ${this.out}, and told ${this.err}`))
      }
      const look = () => {
        const found = find()
        if (found !== null) {
          end()
          resolve(found)
        } else if (this.#isOver) fail('it ended')
      }
      const timer = ms === null ? undefined : setTimeout(() => fail(`${ms} ms passed`), ms)
      this.#looks.add(look)
      look()
    })
  }

  /** What the pattern finds in what the program prints or tells, as soon as it does. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return this.until(`it said ${pattern}`, () => pattern.exec(this.out) ?? pattern.exec(this.err))
  }

  /** What a program with an IPC channel answers by `answerBy`. However long it takes, if no time is given. */
  async ask<Answer>(question: Question, ms: number | null = null): Promise<Answer> {
    this.#tickets += 1
    const ticket = this.#tickets
    // If it has ended, that is why there is no answer.
    this.child.send({ ticket, question }, () => {})
    const answered = `it answered ${JSON.stringify(question)}`
    const reply = await this.until(answered, () => this.#replies.get(ticket) ?? null, ms)
    this.#replies.delete(ticket)
    if ('failure' in reply) throw new ProcessFailure(reply.failure)
    return reply.value as Answer
  }

  /** The last that it reads. */
  tell(text: string): void {
    this.child.stdin?.end(text)
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.isRunning) return
    if (signal === 'SIGKILL') this.isKilled = true
    this.child.kill(signal)
  }

  /** Kills it. Resolves when all that it said has been heard. */
  async end(): Promise<void> {
    this.kill('SIGKILL')
    await this.code
  }
}

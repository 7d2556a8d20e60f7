import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The built command line. */
export const TURNWISE = fileURLToPath(new URL('../packages/cli/bin/turnwise.js', import.meta.url))

/** Nothing here takes so long, on however busy a machine. */
export const DEADLINE = 180_000

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A program of Node that runs, and what it has said. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams
  out = ''
  err = ''
  /** As a shell tells it. */
  readonly code: Promise<number>
  readonly #heard = new Set<() => void>()
  #isOver = false

  /** `args` are those of Node, unless another file is to be run. */
  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}, file = process.execPath) {
    this.child = spawn(file, args, { env: { ...process.env, ...env } })
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(() => (this.out += text)))
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => this.#hear(() => (this.err += text)))
    this.child.stdin.on('error', () => {})
    this.code = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        this.#isOver = true
        this.#hear(() => {})
        resolve(signal === null ? (code ?? -1) : 128 + constants.signals[signal])
      })
    })
  }

  #hear(note: () => void): void {
    note()
    for (const look of this.#heard) look()
  }

  /** What the pattern finds in what the program prints or tells, as soon as it does. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        this.#heard.delete(look)
      }
      const fail = (why: string) => {
        end()
        reject(new Error(`${why} before it said ${pattern}; it said ${this.out}, and told ${this.err}`))
      }
      const look = () => {
        const found = pattern.exec(this.out) ?? pattern.exec(this.err)
        if (found !== null) {
          end()
          resolve(found)
        } else if (this.#isOver) fail('it ended')
      }
      const timer = setTimeout(() => fail('the deadline passed'), DEADLINE)
      this.#heard.add(look)
      look()
    })
  }

  /** When it is over, all that it said. */
  get ended(): Promise<Ended> {
    return this.code.then((code) => ({ code, out: this.out, err: this.err }))
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }
}

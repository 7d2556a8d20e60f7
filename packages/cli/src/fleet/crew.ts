/** Processes of this program, none of which outlives it, and a directory for their state that goes with them. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** To the guard: a process that must not outlive the program that started it, or one that has ended. */
export interface GuardWord {
  readonly pid: number
  readonly isAlive: boolean
}

export class Crew {
  readonly directory: string
  readonly #guard: ChildProcess
  readonly #children = new Set<ChildProcess>()
  readonly #ended = new WeakMap<ChildProcess, Promise<void>>()

  /** `prefix` is how the name of the directory begins. */
  constructor(prefix: string) {
    this.directory = mkdtempSync(join(tmpdir(), prefix))
    this.#guard = launch(entryBeside(import.meta.url, 'guard'), [this.directory])
    this.#guard.on('error', () => {})
  }

  /** Starts a program. `env` is added to the environment: what is secret is not for `args`, which every user of the machine can read. */
  start(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = launch(file, args, env)
    this.take(child)
    return child
  }

  /** It ends with the others, and must not outlive this program. */
  take(child: ChildProcess): void {
    const { pid } = child
    child.on('error', () => {})
    if (pid === undefined) return
    this.#children.add(child)
    this.#tellGuard({ pid, isAlive: true })
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        this.#children.delete(child)
        this.#tellGuard({ pid, isAlive: false })
        resolve()
      })
    })
    this.#ended.set(child, ended)
  }

  /** Resolves when it has ended; at once if it never ran. */
  ended(child: ChildProcess | undefined): Promise<void> {
    return (child && this.#ended.get(child)) ?? Promise.resolve()
  }

  #tellGuard(word: GuardWord): void {
    if (this.#guard.connected) this.#guard.send(word, () => {})
  }

  async close(): Promise<void> {
    const children = [...this.#children]
    for (const child of children) child.kill('SIGKILL')
    for (const child of children) await this.#ended.get(child)
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 })
    if (this.#guard.exitCode !== null || this.#guard.signalCode !== null) return
    await new Promise<void>((resolve) => {
      this.#guard.once('exit', () => resolve())
      if (this.#guard.connected) this.#guard.disconnect()
    })
  }
}

/** Not by the method of the child, which would count it as killed. */
export function signal(child: ChildProcess | undefined, name: NodeJS.Signals): void {
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
    process.kill(child.pid, name)
}

/** In a session of its own: Ctrl-C is for the program that started it, which ends it. */
function launch(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  return fork(file, args, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: file.endsWith('.ts') ? ['--import', 'tsx', '--conditions=turnwise-source'] : [],
  })
}

/** The program of this name beside a module, built if that is. */
export function entryBeside(module: string, name: string): string {
  return fileURLToPath(new URL(`./${name}.${module.endsWith('.ts') ? 'ts' : 'js'}`, module))
}

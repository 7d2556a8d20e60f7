/** The processes of this program. They end with it, and so does the directory that has their state. */
import type { StdioOptions } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { Program } from './program.ts'

/** To the guard: a process that must not outlive the program that started it, or one that has ended. */
export interface GuardWord {
  readonly pid: number
  readonly isAlive: boolean
}

/** Characters of the last that a process told: its reason to end. */
const KEPT = 5000

export class Crew {
  readonly directory: string
  readonly #guard: Program
  readonly #programs = new Set<Program>()

  /** `prefix` is how the name of the directory begins. */
  constructor(prefix: string) {
    this.directory = temporary(prefix)
    this.#guard = launch(entryBeside(import.meta.url, 'guard'), [this.directory])
  }

  start(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const program = launch(file, args, env)
    this.take(program)
    return program
  }

  /** It ends with the others, and must not outlive this program. */
  take(program: Program): void {
    const { pid } = program.child
    if (pid === undefined) return
    this.#programs.add(program)
    this.#tellGuard({ pid, isAlive: true })
    void program.exited.then(() => {
      this.#programs.delete(program)
      this.#tellGuard({ pid, isAlive: false })
    })
  }

  #tellGuard(word: GuardWord): void {
    const { child } = this.#guard
    if (child.connected) child.send(word, () => {})
  }

  async close(): Promise<void> {
    const programs = [...this.#programs]
    for (const program of programs) program.kill('SIGKILL')
    for (const { exited } of programs) await exited
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 })
    const { child, exited } = this.#guard
    if (child.connected) child.disconnect()
    await exited
  }
}

function temporary(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new InvalidInput(`TMPDIR: nothing can be written in ${tmpdir()}: ${why}`, { cause: error })
  }
}

/** In a session of its own: Ctrl-C is for the program that started it, which ends it. */
function launch(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const ofNode = file.endsWith('.ts') ? ['--import', 'tsx', '--conditions=turnwise-source'] : []
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', 'ipc']
  return new Program([...ofNode, file, ...args], { env, detached: true, stdio, keeps: KEPT })
}

/** The program of this name beside a module, built if that is. */
export function entryBeside(module: string, name: string): string {
  return fileURLToPath(new URL(`./${name}.${module.endsWith('.ts') ? 'ts' : 'js'}`, module))
}

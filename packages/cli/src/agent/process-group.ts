/**
 * A command in a process group of its own, so that it can be ended with all it started, and a guard in the same group.
 *
 * The guard is for the day when this program is killed with SIGKILL and can end nothing any more: a shell that waits at a
 * pipe whose other end only this program has. When that is closed, by whatever death, it kills its group. It started
 * before the command did, and as it is in the group itself, the group's number cannot become somebody else's.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isRunning } from './is-running.ts'

/**
 * What asks politely is not meant for the guard. It keeps none of the command's files open, or pipes would not end. The shell that
 * starts it ends first, so it is no child of the command, which may wait for all of its children.
 */
const GUARDED = `
( trap '' HUP INT QUIT TERM USR1 USR2 ALRM TSTP TTIN TTOU PIPE
  ( read -r _ <&3
    kill -KILL 0 ) & ) </dev/null >/dev/null 2>&1
exec "$@" 3<&-
`

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Milliseconds between two looks whether a group is gone. */
const LOOK = 5

export class ProcessGroup {
  readonly #leader: ChildProcess
  /** When the command itself has ended; others of its group may still run. */
  readonly exit: Promise<Exit>
  #isGone = false

  constructor(command: readonly string[], env: NodeJS.ProcessEnv) {
    this.#leader = spawn('/bin/sh', ['-c', GUARDED, 'sh', ...command], {
      detached: true,
      env,
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    })
    // The guard's end of the pipe closes with the guard; that is no error of ours.
    this.#leader.stdio[3]?.on('error', () => {})
    this.exit = new Promise((resolve, reject) => {
      this.#leader.on('error', reject)
      this.#leader.once('exit', (code, signal) => resolve({ code, signal }))
    })
  }

  /** To all of the group; nothing happens if none is left. Then its number may become that of another group. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#leader
    if (pid === undefined || this.#isGone) return
    try {
      process.kill(-pid, signal)
    } catch {
      // ESRCH: none is left. EPERM: those that are left belong to another user, which `gone` waits for.
    }
  }

  /** Kills what the command left behind, and resolves when nothing of the group runs. `isOver` ends the wait. */
  async gone(isOver: () => boolean): Promise<void> {
    const exit = this.exit.then(
      () => true,
      () => true,
    )
    await exit
    const { pid } = this.#leader
    if (pid === undefined) return
    this.signal('SIGKILL')
    while (!this.#isGone && !isOver()) {
      this.#isGone = !isRunning(pid)
      if (!this.#isGone) await new Promise((later) => setTimeout(later, LOOK))
    }
    this.#leader.stdio[3]?.destroy()
  }
}

/** Whether a command can be run, as a shell would find it. */
export function lookUp(
  command: string,
  path = process.env.PATH ?? '',
): 'found' | 'not found' | 'not executable' {
  if (command === '' || command.startsWith('-')) return 'not found'
  const places = command.includes('/')
    ? [command]
    : path.split(delimiter).map((each) => join(each || '.', command))
  let isThere = false
  for (const place of places) {
    try {
      if (!statSync(place).isFile()) {
        isThere ||= command.includes('/')
        continue
      }
      isThere = true
      accessSync(place, constants.X_OK)
      return 'found'
    } catch {
      // Not here, or not executable: another place may have it.
    }
  }
  return isThere ? 'not executable' : 'not found'
}

/**
 * Who may write in a directory, one at a time. Each opener has a witness there, a listening socket `p<pid>.<random>`, and that
 * is its name. The lock is a symbolic link to the witness of its holder: a link is made at once with what it says, or not at all.
 *
 * The lock of a dead holder is removed by another. Two that find it at once must not both remove something: the slower one
 * would take away the lock of whoever came in between. So whatever the dead opener D has left is removed only by
 * the holder of `break-D`, a link like the lock, which is removed in the same way if its own holder dies. Names are never used
 * again, so the link that still names D is the one that D made.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { askWitness, codeOf, witness } from '../disk/witness.ts'

const LOCK = 'lock'
const BREAK = 'break-'
/** An opener: the process, and what tells it from others of that number. */
const OPENER = /^p(\d+)\.[0-9a-f]{6}$/
/** Its socket before it listens: it refuses, although its process lives. */
const CANDIDATE = /^n\d+\.[0-9a-f]{6}$/
const TEMPORARY = /^t\d+-(p\d+\.[0-9a-f]{6})$/

/** After so many attempts in vain the holder is asked whether it lives. */
const ASK_AFTER = 3

export class DirectoryWriter {
  readonly name: string
  readonly #directory: string
  readonly #close: () => Promise<void>
  /** Milliseconds for others to leave. They need less than one each, but may be stopped. */
  readonly #patience: number
  readonly #ask: typeof askWitness
  #temporaries = 0

  private constructor(
    directory: string,
    name: string,
    close: () => Promise<void>,
    patience: number,
    ask: typeof askWitness,
  ) {
    this.#directory = directory
    this.name = name
    this.#close = close
    this.#patience = patience
    this.#ask = ask
  }

  /** `ask` is given so that tests can come between two steps. */
  static async enter(directory: string, patience: number, ask = askWitness): Promise<DirectoryWriter> {
    for (;;) {
      const id = `${process.pid}.${randomBytes(3).toString('hex')}`
      const candidate = join(directory, `n${id}`)
      const close = await witness(candidate)
      if (tryLink(candidate, join(directory, `p${id}`)))
        return new DirectoryWriter(directory, `p${id}`, close, patience, ask)
      await close()
    }
  }

  /** A name for a file of this opener, which others remove if it dies. */
  temporary(): string {
    this.#temporaries += 1
    return join(this.#directory, `t${this.#temporaries}-${this.name}`)
  }

  /**
   * Does it while nobody else is inside; nothing may be awaited there, so that a process is stopped inside as rarely as can be.
   * Throws if the lock is not to be had.
   */
  async inside<Result>(action: () => Result): Promise<Result> {
    const deadline = performance.now() + this.#patience
    for (let attempt = 1; ; attempt += 1) {
      // Without a witness nobody could break this lock.
      lstatSync(join(this.#directory, this.name))
      if (trySymlink(this.name, join(this.#directory, LOCK))) {
        try {
          return action()
        } finally {
          unlinkSync(join(this.#directory, LOCK))
        }
      }
      if (attempt % ASK_AFTER === 0) await this.#clear(LOCK)
      if (performance.now() > deadline) throw new Error(this.#inVain())
      await new Promise((resolve) => void setTimeout(resolve, 1 + 2 * Math.random()))
    }
  }

  #inVain(): string {
    const holder = this.#holderOf(LOCK)
    const path = join(this.#directory, LOCK)
    return `timed out after ${this.#patience} ms waiting for ${path}, held by ${holder ?? 'changing processes'}`
  }

  stateOf(opener: string): Promise<'alive' | 'dead' | 'missing'> {
    return stateOf(this.#directory, opener, this.#ask)
  }

  #holderOf(link: string): string | null {
    try {
      return readlinkSync(join(this.#directory, link))
    } catch (error) {
      if (['ENOENT', 'EINVAL'].includes(codeOf(error) ?? '')) return null
      throw error
    }
  }

  /** Removes the link if its holder is dead. */
  async #clear(link: string): Promise<void> {
    const holder = this.#holderOf(link)
    if (holder === null || (await this.stateOf(holder)) !== 'dead') return
    const right = `${BREAK}${holder}`
    if (!trySymlink(this.name, join(this.#directory, right))) return this.#clear(right)
    try {
      if (this.#holderOf(link) === holder) unlinkSync(join(this.#directory, link))
    } finally {
      unlinkSync(join(this.#directory, right))
    }
  }

  /**
   * Removes what dead openers left. Of very many files it looks at some, and the next opener at others. The witness of one that is named in a
   * cell stays: it is the proof of its death.
   * `isNamed` is asked after the death is certain, when the opener makes no more cells.
   */
  async sweep(isNamed: (opener: string) => boolean): Promise<void> {
    const names = readdirSync(this.#directory)
    const links = names.filter((name) => name === LOCK || name.startsWith(BREAK))
    for (const link of links) await this.#clear(link)
    for (const name of some(names.filter((each) => TEMPORARY.test(each) || CANDIDATE.test(each)))) {
      const owner = TEMPORARY.exec(name)?.[1]
      const isLeft = owner
        ? (await this.stateOf(owner)) !== 'alive'
        : CANDIDATE.test(name) && (await this.#ask(join(this.#directory, name))) === 'dead'
      if (isLeft) this.#remove(name)
    }
    for (const opener of some(names.filter((name) => OPENER.test(name)))) {
      if ((await this.stateOf(opener)) !== 'dead' || isNamed(opener)) continue
      const isHolding = links.some((link) => this.#holderOf(link) === opener)
      if (!isHolding) this.#remove(opener)
    }
  }

  #remove(name: string): void {
    rmSync(join(this.#directory, name), { force: true })
  }

  async leave(): Promise<void> {
    await this.#close()
    this.#remove(this.name)
  }
}

/** Of an opener. `missing`: it has left, or never was. */
export async function stateOf(
  directory: string,
  opener: string,
  ask = askWitness,
): Promise<'alive' | 'dead' | 'missing'> {
  const [, pid] = OPENER.exec(opener) ?? []
  if (pid === undefined) return 'missing'
  const state = await ask(join(directory, opener))
  // Elsewhere than on Linux a socket whose queue is full refuses too.
  const isSure = process.platform === 'linux' || !isRunning(Number(pid))
  return state === 'dead' && !isSure ? 'alive' : state
}

/** What one opener looks at. If each of n asked after all n, many that come at once would do nothing else. */
const MOST_SWEPT = 20

/** In a row, from anywhere. */
function some(names: readonly string[]): readonly string[] {
  if (names.length <= MOST_SWEPT) return names
  const from = Math.floor(Math.random() * names.length)
  return [...names.slice(from), ...names.slice(0, from)].slice(0, MOST_SWEPT)
}

/** Moves the socket, which listens by now, to its name. False if that is taken, or if another opener took the socket for a dead one's. */
function tryLink(candidate: string, path: string): boolean {
  try {
    linkSync(candidate, path)
    return true
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) return false
    throw error
  } finally {
    rmSync(candidate, { force: true })
  }
}

function trySymlink(target: string, path: string): boolean {
  try {
    symlinkSync(target, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

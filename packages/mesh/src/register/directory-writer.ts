/**
 * Ensures one writer at a time in a directory. Each opener has a witness there, a listening socket `p<pid>.<random>`, which is
 * its name. The lock is a symbolic link to the witness of its holder. A symbolic link is made with its target in one step, or not
 * at all.
 *
 * If the holder is dead, another opener removes its lock. Two openers that find it at once must not both remove a link: the
 * slower one could remove the lock of an opener that came in between. So everything that the dead opener D left is removed only
 * by the holder of `break-D`. This is a link like the lock, and is removed in the same way if its own holder dies. Names are
 * never reused, so a link that still names D was made by D.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { askWitness, codeOf, witness } from '../disk/witness.ts'

const LOCK = 'lock'
const BREAK = 'break-'
/** An opener: the process id, and a random part because these are reused. */
const OPENER = /^p(\d+)\.[0-9a-f]{6}$/
/** Its socket before it listens: it refuses connections although its process lives. */
const CANDIDATE = /^n\d+\.[0-9a-f]{6}$/
const TEMPORARY = /^t\d+-(p\d+\.[0-9a-f]{6})$/

/** After so many failed attempts, check whether the holder lives. */
const ASK_AFTER = 3

export class DirectoryWriter {
  readonly name: string
  readonly #directory: string
  readonly #close: () => Promise<void>
  /** Milliseconds to wait for other writers. Each needs less than one, but may be stopped. */
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

  /** Tests pass their own `ask`, to act between two steps. */
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

  /** A file name of this opener. Other openers remove the file if it dies. */
  temporary(): string {
    this.#temporaries += 1
    return join(this.#directory, `t${this.#temporaries}-${this.name}`)
  }

  /**
   * Runs the action while no other opener is inside. The action is synchronous, so that a process is stopped inside as rarely
   * as possible. Throws if the lock cannot be acquired in time.
   */
  async inside<Result>(action: () => Result): Promise<Result> {
    const deadline = performance.now() + this.#patience
    for (let attempt = 1; ; attempt += 1) {
      // Without a witness no other opener could break this lock.
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
   * Removes what dead openers left. Of very many files it checks some, and the next opener checks others. The witness of an
   * opener that a cell names stays: it proves the death. `isNamed` is called after the death is certain, when the opener makes
   * no more cells.
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

/** The state of an opener. `missing`: it has left, or never existed. */
export async function stateOf(
  directory: string,
  opener: string,
  ask = askWitness,
): Promise<'alive' | 'dead' | 'missing'> {
  const [, pid] = OPENER.exec(opener) ?? []
  if (pid === undefined) return 'missing'
  const state = await ask(join(directory, opener))
  // Except on Linux, a socket whose queue is full refuses connections too.
  const isSure = process.platform === 'linux' || !isRunning(Number(pid))
  return state === 'dead' && !isSure ? 'alive' : state
}

/** How many files one opener checks. If each of n openers checked all n, many that come at once would do nothing else. */
const MOST_SWEPT = 20

/** Consecutive names from a random place. */
function some(names: readonly string[]): readonly string[] {
  if (names.length <= MOST_SWEPT) return names
  const from = Math.floor(Math.random() * names.length)
  return [...names.slice(from), ...names.slice(0, from)].slice(0, MOST_SWEPT)
}

/**
 * Links the socket, which listens by now, to its name. False if the name is taken, or another opener removed the socket as dead.
 */
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

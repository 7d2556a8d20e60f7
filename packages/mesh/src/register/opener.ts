/**
 * A process that has opened a directory. Its witness there, a listening socket `p<pid>.<random>`, is its name. All that it makes
 * carries that name, so that others can remove it when the process is dead. Names are never reused.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { linkSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { askWitness, codeOf, witness } from '../disk/witness.ts'
import type { Version } from './register.ts'

const NAME = /^p(\d+)\.[0-9a-f]{6}$/
/** Its socket before it listens: it refuses connections although its process lives. */
const CANDIDATE = /^n\d+\.[0-9a-f]{6}$/
const TEMPORARY = /^t\d+-(p\d+\.[0-9a-f]{6})$/
const VERSION = /^(p\d+\.[0-9a-f]{6})-[0-9a-f-]{36}$/

export class Opener {
  readonly name: string
  readonly #directory: string
  readonly #close: () => Promise<void>
  #temporaries = 0

  private constructor(directory: string, name: string, close: () => Promise<void>) {
    this.#directory = directory
    this.name = name
    this.#close = close
  }

  static async enter(directory: string): Promise<Opener> {
    for (;;) {
      const id = `${process.pid}.${randomBytes(3).toString('hex')}`
      const candidate = join(directory, `n${id}`)
      const close = await witness(candidate)
      if (tryLink(candidate, join(directory, `p${id}`))) return new Opener(directory, `p${id}`, close)
      await close()
    }
  }

  /** No other is ever the same. */
  version(): Version {
    return `${this.name}-${randomUUID()}`
  }

  /** A path of this opener. Others remove what is there if it dies. */
  temporary(): string {
    this.#temporaries += 1
    return join(this.#directory, `t${this.#temporaries}-${this.name}`)
  }

  /**
   * Removes what openers left that have died or closed. Of very many files it checks some, and the next opener checks others. The
   * witness of an opener that a cell names stays: it proves the death. `isNamed` is called after the death is certain, when the
   * opener makes no more cells.
   */
  async sweep(isNamed: (opener: string) => boolean): Promise<void> {
    const names = readdirSync(this.#directory)
    for (const name of some(names.filter((each) => TEMPORARY.test(each) || CANDIDATE.test(each)))) {
      const owner = TEMPORARY.exec(name)?.[1]
      const path = join(this.#directory, name)
      const isLeft = owner
        ? await isAbandoned(this.#directory, owner, path)
        : (await askWitness(path)) === 'dead'
      if (isLeft) this.#remove(name)
    }
    for (const opener of some(names.filter((name) => NAME.test(name)))) {
      if ((await stateOf(this.#directory, opener)) === 'dead' && !isNamed(opener)) this.#remove(opener)
    }
  }

  #remove(name: string): void {
    rmSync(join(this.#directory, name), { recursive: true, force: true })
  }

  async leave(): Promise<void> {
    await this.#close()
    this.#remove(this.name)
  }
}

export function isVersion(text: string): boolean {
  return VERSION.test(text)
}

/** Of these files, which are named by versions, those whose openers will not use them. Of very many it checks some. */
export async function abandoned(
  directory: string,
  folder: string,
  versions: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const version of some(versions)) {
    const [, opener] = VERSION.exec(version) ?? []
    if (opener !== undefined && (await isAbandoned(directory, opener, join(directory, folder, version))))
      found.push(version)
  }
  return found
}

/**
 * Whether the opener that made this file will not use it. One without a witness has left, or a cleaner of temporary files has removed
 * the witness of a process that lives. Then a file that it is about to use is not old.
 */
async function isAbandoned(directory: string, opener: string, path: string): Promise<boolean> {
  const state = await stateOf(directory, opener)
  return state === 'dead' || (state === 'missing' && isOld(path))
}

/** Milliseconds. An opener uses what it has made at once, unless it is stopped. */
const OLD_MS = 3_600_000

function isOld(path: string): boolean {
  const made = lstatSync(path, { throwIfNoEntry: false })
  return made !== undefined && Date.now() - made.mtimeMs > OLD_MS
}

/** The state of an opener. `missing`: it has left, or never existed. */
export async function stateOf(directory: string, opener: string): Promise<'alive' | 'dead' | 'missing'> {
  const [, pid] = NAME.exec(opener) ?? []
  if (pid === undefined) return 'missing'
  const state = await askWitness(join(directory, opener))
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

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

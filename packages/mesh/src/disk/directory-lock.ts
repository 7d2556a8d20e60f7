/**
 * One process at a time uses a directory. Node has no file locks, but a listening socket shows whether its process still lives
 * (witness.ts).
 *
 * The lock is a row of sockets `lock.1`, `lock.2`, ... in the directory. A process that wants it listens on a socket of its own.
 * Then it connects to the last socket of the row. If that one is dead, it links its own socket into the next place:
 *  - Linking is atomic and fails if the place is taken. So of several processes that found the last one dead, only one follows it.
 *  - A socket listens before it is linked. So a socket that refuses is dead for good, and there is no doubtful state.
 *  - The last socket of the row is never removed, so numbers only rise. A process that was stopped for long, and then links into
 *    a place that was cleared meanwhile, sees a higher number beside it and starts again.
 * It works between processes of one machine, including containers with the same volume. It does not work between machines
 * that share a network file system: a state directory belongs on a local disk.
 *
 * On Windows sockets are not files in a directory. There a named pipe is used, whose name is unique on the machine.
 */
import { createHash, randomUUID } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { askWitness, codeOf, witness } from './witness.ts'

const PLACE = /^lock\.(\d+)$/
const CANDIDATE = /^lock-[0-9a-f-]{8}$/

/** A place in the row: a process has had the lock. */
export function isPlace(name: string): boolean {
  return PLACE.test(name)
}

/** Files that the lock leaves in the directory. */
export function isLockFile(name: string): boolean {
  return PLACE.test(name) || CANDIDATE.test(name)
}

/** The file operations, so that tests can act between two steps. */
export interface LockFiles {
  readdir(path: string): Promise<string[]>
  link(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}

/** Returns the function that releases the directory, or null if another process has it. */
export async function lockDirectory(
  path: string,
  files: LockFiles = nodeFiles,
): Promise<(() => Promise<void>) | null> {
  if (process.platform === 'win32') return lockByPipe(path, pipeOf(await nodeFiles.realpath(path)))
  const candidate = join(path, `lock-${randomUUID().slice(0, 8)}`)
  const close = await witness(candidate)
  let isOwner = false
  try {
    isOwner = await claim(path, candidate, files)
  } finally {
    await files.unlink(candidate).catch(ignoreMissing)
    if (!isOwner) await close()
  }
  return isOwner ? close : null
}

/** A pipe ends with its process, and only one process can listen on it. The file shows that the lock has been taken once. */
export async function lockByPipe(path: string, pipe: string): Promise<(() => Promise<void>) | null> {
  try {
    const close = await witness(pipe)
    await nodeFiles.writeFile(placeAt(path, 1), '')
    return close
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') return null
    throw error
  }
}

/** Windows ignores case in file names. */
export function pipeOf(path: string): string {
  const name = createHash('sha256').update(path.toLowerCase()).digest('hex')
  return `\\\\.\\pipe\\turnwise-${name.slice(0, 32)}`
}

async function claim(path: string, candidate: string, files: LockFiles): Promise<boolean> {
  for (;;) {
    const last = lastPlace(await files.readdir(path))
    if (last > 0 && (await isAlive(placeAt(path, last)))) return false
    const place = last + 1
    const outcome = await tryLink(candidate, placeAt(path, place), files)
    if (outcome === 'taken') continue
    if (outcome === 'cleared') return false
    const names = await files.readdir(path)
    if (lastPlace(names) === place) {
      await clear(path, names, place, files)
      return true
    }
    await files.unlink(placeAt(path, place)).catch(ignoreMissing)
  }
}

function placeAt(path: string, place: number): string {
  return join(path, `lock.${place}`)
}

function lastPlace(names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => Number(PLACE.exec(name)?.[1] ?? 0)))
}

async function tryLink(
  candidate: string,
  place: string,
  files: LockFiles,
): Promise<'linked' | 'taken' | 'cleared'> {
  try {
    await files.link(candidate, place)
    return 'linked'
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'taken'
    // Only an owner removes candidates, if it finds one in the moment before that listens.
    if (codeOf(error) === 'ENOENT') return 'cleared'
    throw error
  }
}

/** Removes what earlier owners left, and dead candidates. Living candidates are about to learn that the lock is taken. */
async function clear(path: string, names: readonly string[], own: number, files: LockFiles): Promise<void> {
  for (const name of names) {
    const place = Number(PLACE.exec(name)?.[1] ?? own)
    const isLeft = place < own || (CANDIDATE.test(name) && !(await isAlive(join(path, name))))
    if (isLeft) await files.unlink(join(path, name)).catch(ignoreMissing)
  }
}

async function isAlive(path: string): Promise<boolean> {
  return (await askWitness(path)) === 'alive'
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}

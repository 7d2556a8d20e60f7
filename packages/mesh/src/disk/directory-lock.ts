/**
 * One process at a time uses a directory. Node has no file locks, and a file that names a process cannot tell whether that
 * still lives; a listening socket can, because the system closes it together with the process, however that ends.
 *
 * The lock is a row of sockets `lock.1`, `lock.2`, ... in the directory. Whoever wants it listens on a socket of its own,
 * asks the last of the row whether anybody is there, and if nobody is, links its socket into the next place:
 *  - linking is atomic and fails if the place is taken, so of several who found the last one dead only one follows it;
 *  - a socket listens before it is linked, so one that refuses is dead, and dead for good: there is no doubtful state;
 *  - the last of the row is never removed, so numbers only rise, and who links into a place that was cleared long ago, after
 *    a long stop, sees a higher number beside it and starts again.
 * It holds between processes of one machine, containers with the same volume included. It does not between machines
 * that share a network file system: a state directory belongs on a local disk.
 *
 * On Windows sockets have no place in a directory. There a pipe does it, of which the machine has one by each name.
 */
import { createHash, randomUUID } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'

const PLACE = /^lock\.(\d+)$/
const CANDIDATE = /^lock-[0-9a-f-]{8}$/

/** A place in the row: somebody has had the lock. */
export function isPlace(name: string): boolean {
  return PLACE.test(name)
}

/** What the lock leaves in the directory. */
export function isLockFile(name: string): boolean {
  return PLACE.test(name) || CANDIDATE.test(name)
}

/** Addresses of sockets are short on all systems; this is what fits everywhere, with the name of a socket after it. */
export const LONGEST_PATH = process.platform === 'win32' ? 200 : 88

/** What is done in the directory, so that tests can come between two steps. */
export interface LockFiles {
  readdir(path: string): Promise<string[]>
  link(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}

/** The function that gives the directory free, or null if another has it. */
export async function lockDirectory(
  path: string,
  files: LockFiles = nodeFiles,
): Promise<(() => Promise<void>) | null> {
  if (process.platform === 'win32') return lockByPipe(path, pipeOf(await nodeFiles.realpath(path)))
  const candidate = join(path, `lock-${randomUUID().slice(0, 8)}`)
  const close = closing(await listen(candidate))
  let isOwner = false
  try {
    isOwner = await claim(path, candidate, files)
  } finally {
    await files.unlink(candidate).catch(ignoreMissing)
    if (!isOwner) await close()
  }
  return isOwner ? close : null
}

function closing(server: Server): () => Promise<void> {
  return () => new Promise((resolve) => void server.close(() => resolve()))
}

/** A pipe ends with its process, and nobody can listen on one that is there. The file says that somebody has had the lock. */
export async function lockByPipe(path: string, pipe: string): Promise<(() => Promise<void>) | null> {
  try {
    const close = closing(await listen(pipe))
    await nodeFiles.writeFile(placeAt(path, 1), '')
    return close
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') return null
    throw error
  }
}

/** Names of files are the same in capitals there. */
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

/** What earlier owners left. Of candidates only dead ones: others are asking just now, and will be told no. */
async function clear(path: string, names: readonly string[], own: number, files: LockFiles): Promise<void> {
  for (const name of names) {
    const place = Number(PLACE.exec(name)?.[1] ?? own)
    const isLeft = place < own || (CANDIDATE.test(name) && !(await isAlive(join(path, name))))
    if (isLeft) await files.unlink(join(path, name)).catch(ignoreMissing)
  }
}

/** Only a refusal proves that nobody is there. A process that is stopped, or too busy to answer, is there. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error) ?? '')))
  })
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // Whoever connects only wants to know that somebody is here.
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.end()
    })
    server.once('error', reject)
    // Exclusive, or the processes of a cluster would share it. The lock alone keeps no process running.
    server.listen({ path, exclusive: true }, () => resolve(server)).unref()
  })
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}

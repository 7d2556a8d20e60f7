/**
 * The control socket: a Unix socket that only its owner can open, in a directory that only its owner can enter. One
 * daemon at a time uses the directory, by the lock that also guards state directories; so a daemon that has the lock
 * may remove the socket of one that was killed, and cannot hit that of one that lives.
 */
import { chmod, lstat, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { lockDirectory } from '@turnwise/mesh/disk/directory-lock'
import { CONTROL, makeDirectory } from '@turnwise/mesh/disk/state-directory'
import { codeOf, LONGEST_PATH } from '@turnwise/mesh/disk/witness'
import { listening } from '@turnwise/mesh/transport/sockets'

/** Of a Unix socket, on whatever system. */
const LONGEST_SOCKET = 103

/**
 * There while a daemon runs; it holds the lease in milliseconds. It is kept with the state, by which the others know the node: the
 * directory of the socket may be gone with the daemon, as those that a service manager or a container makes in /run are.
 */
const MARK = 'running'

export interface ControlSocket {
  readonly path: string
  /** The lease of a daemon before this one that did not end in good order; null if there was none. */
  readonly abandonedLeaseMs: number | null
  /** `inGoodOrder`: nobody relies on a lock of this daemon any more. */
  close(inGoodOrder: boolean): Promise<void>
}

export async function openControlSocket(
  given: string,
  leaseMs: number,
  accept: (socket: Socket) => void,
  stateDir?: string,
): Promise<ControlSocket> {
  const path = resolve(given)
  const directory = dirname(path)
  requireShort(path, directory)
  await readying(directory, undefined, () => makePrivate(directory))
  const places = placesOf(path, stateDir)
  for (const place of places) await readying(place, stateDir, () => makeDirectory(place))
  const unlock = await lockAll(places)
  if (typeof unlock === 'string')
    throw new InvalidInput(
      `another daemon ${unlock === directory ? 'has its control socket in' : 'uses'} ${unlock}`,
    )
  try {
    const marks = await marksIn(places)
    const abandonedLeaseMs = longestOf(marks)
    // Until those who rely on the earlier daemon have ended, the longer of the two leases counts.
    await writeMark(get(places, 0), Math.max(leaseMs, abandonedLeaseMs ?? 0))
    await removeStale(path)
    const server = await listen(path, accept)
    await chmod(path, 0o600)
    return {
      path,
      abandonedLeaseMs,
      async close(inGoodOrder) {
        await new Promise<void>((closed) => void server.close(() => closed()))
        if (inGoodOrder) await removeMarks(places)
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

/**
 * For a program that uses the state directory of a daemon without being one: waits, if the daemon was killed, until nobody relies on
 * what it held.
 */
export async function outliveAbandoned(path: string, stateDir?: string): Promise<void> {
  const marks = await marksIn(placesOf(path, stateDir))
  const lease = longestOf(marks)
  if (lease === null) return
  const places = [...marks.keys()]
  const unlock = await lockAll(places)
  // It lives, and the state directory is its own.
  if (typeof unlock === 'string') return
  try {
    await new Promise((over) => setTimeout(over, lease))
    await removeMarks(places)
  } finally {
    await unlock()
  }
}

/** Where the mark is kept, and the directory of the socket. Earlier versions kept it there. */
function placesOf(path: string, stateDir: string | undefined): readonly string[] {
  const directory = dirname(path)
  const home = stateDir === undefined ? directory : join(resolve(stateDir), CONTROL)
  // No socket that guards it would fit into a longer one.
  return Buffer.byteLength(home) > LONGEST_PATH ? [directory] : [...new Set([home, directory])]
}

/** Returns the function that releases all of them, or the one that another daemon has. */
async function lockAll(directories: readonly string[]): Promise<(() => Promise<void>) | string> {
  const locks: (() => Promise<void>)[] = []
  const unlock = async () => {
    for (const each of locks) await each()
  }
  try {
    for (const directory of directories) {
      const lock = await readying(directory, undefined, () => lockDirectory(directory))
      if (lock === null) {
        await unlock()
        return directory
      }
      locks.push(lock)
    }
    return unlock
  } catch (error) {
    await unlock()
    throw error
  }
}

function requireShort(path: string, directory: string): void {
  for (const [what, most] of [
    [path, LONGEST_SOCKET],
    [directory, LONGEST_PATH],
  ] as const) {
    const length = Buffer.byteLength(what)
    if (length > most)
      throw new InvalidInput(
        `control socket: the path ${what} has ${length} bytes, at most ${most} are allowed`,
      )
  }
}

/** `stateDir`: whose directory it is; undefined for that of the socket. */
async function readying<Value>(
  directory: string,
  stateDir: string | undefined,
  act: () => Promise<Value>,
): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof InvalidInput) throw error
    const what =
      stateDir === undefined ? `directory ${directory} of the control socket` : `state directory ${stateDir}`
    throw new InvalidInput(`the ${what} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

async function makePrivate(directory: string): Promise<void> {
  await makeDirectory(directory)
  const { uid, mode } = await stat(directory)
  if (uid !== process.getuid?.()) {
    throw new InvalidInput(`the directory ${directory} of the control socket belongs to another user`)
  }
  if ((mode & 0o077) === 0) return
  throw new InvalidInput(
    `the directory ${directory} of the control socket is open to others (mode ${(mode & 0o777).toString(8)}): chmod 700 ${directory}`,
  )
}

/** The leases of daemons that did not end in good order, by the directories that tell of them. */
async function marksIn(places: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const marks = new Map<string, number>()
  for (const place of places) {
    const lease = await readMark(join(place, MARK))
    if (lease !== null) marks.set(place, lease)
  }
  return marks
}

/** Null if no daemon was killed. */
function longestOf(marks: ReadonlyMap<string, number>): number | null {
  return marks.size === 0 ? null : Math.max(...marks.values())
}

async function readMark(mark: string): Promise<number | null> {
  try {
    const lease = Number(await readFile(mark, 'utf8'))
    return Number.isFinite(lease) ? lease : null
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** At once or not at all, because somebody may rely on the earlier one. */
async function writeMark(place: string, leaseMs: number): Promise<void> {
  const mark = join(place, MARK)
  await writeFile(`${mark}.new`, `${leaseMs}\n`, { mode: 0o600 })
  await rename(`${mark}.new`, mark)
}

async function removeMarks(places: readonly string[]): Promise<void> {
  for (const place of places) await rm(join(place, MARK), { force: true })
}

/** The directory is ours, so a socket of this name is that of a daemon that was killed. */
async function removeStale(path: string): Promise<void> {
  try {
    const found = await lstat(path)
    if (!found.isSocket()) throw new InvalidInput(`control socket: ${path} exists and is not a socket`)
    await rm(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

async function listen(path: string, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept)
  await listening(server, { path, exclusive: true })
  return server
}

/**
 * The control socket: a Unix socket that only its owner can open, in a directory that only its owner can enter. One
 * daemon at a time uses the directory, by the lock that also guards state directories; so a daemon that has the lock
 * may remove the socket of one that was killed, and cannot hit that of one that lives.
 */
import { chmod, lstat, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { lockDirectory } from '@turnwise/mesh/disk/directory-lock'
import { makeDirectory } from '@turnwise/mesh/disk/state-directory'
import { codeOf, LONGEST_PATH } from '@turnwise/mesh/disk/witness'

/** Of a Unix socket, on whatever system. */
const LONGEST_SOCKET = 103

/** There while a daemon runs; it holds the lease in milliseconds. */
const MARK = 'running'

export interface ControlSocket {
  readonly path: string
  /** The lease of a daemon before this one that did not end in good order; null if there was none. */
  readonly abandonedLease: number | null
  /** `inGoodOrder`: nobody relies on a lock of this daemon any more. */
  close(inGoodOrder: boolean): Promise<void>
}

export async function openControlSocket(
  given: string,
  lease: number,
  accept: (socket: Socket) => void,
): Promise<ControlSocket> {
  const path = resolve(given)
  const directory = dirname(path)
  requireShort(path, directory)
  await readying(directory, () => makePrivate(directory))
  const unlock = await readying(directory, () => lockDirectory(directory))
  if (unlock === null) throw new InvalidInput(`another daemon has its control socket in ${directory}`)
  try {
    const mark = join(directory, MARK)
    const abandonedLease = await readMark(mark)
    // Until those who rely on the earlier daemon have ended, the longer of the two leases counts.
    await writeFile(mark, `${Math.max(lease, abandonedLease ?? 0)}\n`, { mode: 0o600 })
    await removeStale(path)
    const server = await listen(path, accept)
    await chmod(path, 0o600)
    return {
      path,
      abandonedLease,
      async close(inGoodOrder) {
        await new Promise<void>((closed) => void server.close(() => closed()))
        if (inGoodOrder) await rm(mark, { force: true })
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
export async function outliveAbandoned(path: string): Promise<void> {
  const directory = dirname(path)
  const mark = join(directory, MARK)
  const lease = await readMark(mark)
  if (lease === null) return
  const unlock = await lockDirectory(directory)
  // It lives, and the state directory is its own.
  if (unlock === null) return
  try {
    await new Promise((over) => setTimeout(over, lease))
    await rm(mark, { force: true })
  } finally {
    await unlock()
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

async function readying<Value>(directory: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof InvalidInput) throw error
    throw new InvalidInput(
      `the directory ${directory} of the control socket cannot be used: ${(error as Error).message}`,
      { cause: error },
    )
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
    `the directory ${directory} of the control socket is open to others (mode ${(mode & 0o777).toString(8)}): it must be 700`,
  )
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

function listen(path: string, accept: (socket: Socket) => void): Promise<Server> {
  return new Promise((listening, reject) => {
    const server = createServer(accept)
    server.once('error', reject)
    server.listen({ path, exclusive: true }, () => {
      // Too many open files: new clients wait, those who are inside stay.
      server.on('error', () => {})
      listening(server)
    })
  })
}
